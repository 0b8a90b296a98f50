/* test_launch_list.c - the list of a path's launches: what each is, what it waits for, and that the
 * list fits every step.
 */
#include "config.h"

#include "tests/step_script.h"

#include "engine/attention/attention_graph.h"

/* "kernel<after,after" for every record, in order. */
static char *describe(const struct launch_list *list)
{
	char *text = xstrdup("");

	for (int i = 0; i < list->count; i++) {
		const struct launch_record *record = &list->records[i];
		char *longer = xasprintf("%s%s%s", text, i > 0 ? " " : "",
					 record->launch.kernel->name);

		free(text);
		text = longer;
		for (int j = 0; j < record->after_count; j++) {
			longer = xasprintf("%s%c%d", text, j > 0 ? ',' : '<', record->after[j]);
			free(text);
			text = longer;
		}
	}
	return text;
}

static void check_records(const struct path *path, int slots, int layers, const char *wanted)
{
	struct launch_list list = { 0 };
	struct attention *a;
	struct device *device;
	char *text;

	OK(device_open("sim", NULL, &device));
	a = script_open_small(device, path, slots);
	OK(attention_record(a, 0, layers, &list));
	text = describe(&list);
	ck_assert_str_eq(text, wanted);
	free(text);
	launch_list_free(&list);
	attention_destroy(a);
	device_close(device);
}

START_TEST(launches_wait_for_what_they_read)
{
	check_records(&path_flash_decoding, 1, 2,
		      "kv_scatter_indirect kv_scatter_indirect flash_decode_chunk<1,0 "
		      "flash_decode_reduce<2 kv_scatter_indirect kv_scatter_indirect "
		      "flash_decode_chunk<5,4,3 flash_decode_reduce<6");
	check_records(&path_flash_decoding, 3, 1,
		      "kv_scatter_batched kv_scatter_batched flash_decode_chunk<1,0 "
		      "flash_decode_reduce<2");
	check_records(&path_batched, 3, 2,
		      "kv_scatter_batched kv_scatter_batched attention_batched<1,0 "
		      "kv_scatter_batched kv_scatter_batched attention_batched<4,3,2");
	check_records(&path_incremental, 2, 2,
		      "kv_scatter_indirect kv_scatter_indirect attention_incremental_indirect<1,0 "
		      "kv_scatter_indirect kv_scatter_indirect attention_incremental_indirect<4,3 "
		      "kv_scatter_indirect kv_scatter_indirect "
		      "attention_incremental_indirect<7,6,2 kv_scatter_indirect "
		      "kv_scatter_indirect attention_incremental_indirect<10,9,5");
	check_records(&path_incremental_multiwarp, 1, 1,
		      "kv_scatter_indirect kv_scatter_indirect "
		      "attention_incremental_multiwarp_indirect<1,0");
}
END_TEST

static void check_same_launch(const struct launch *one, const struct launch *other)
{
	ck_assert_ptr_eq(one->kernel, other->kernel);
	ck_assert_mem_eq(&one->grid, &other->grid, sizeof one->grid);
	ck_assert_mem_eq(&one->block, &other->block, sizeof one->block);
	ck_assert_uint_eq(one->shared_bytes, other->shared_bytes);
	ck_assert_int_eq(one->arg_count, other->arg_count);
	for (int i = 0; i < one->arg_count; i++) {
		ck_assert_int_eq(one->args[i].kind, other->args[i].kind);
		ck_assert_ptr_eq(one->args[i].buffer, other->args[i].buffer);
		ck_assert_uint_eq(one->args[i].offset, other->args[i].offset);
		ck_assert_mem_eq(&one->args[i].value, &other->args[i].value,
				 sizeof one->args[i].value);
	}
}

/* Values that change from step to step are in device memory, in other buffers than those of
 * separate launches. */
START_TEST(recorded_launches_fit_every_length)
{
	float values[3 * 4 * 5] = { 0 }, out[3 * 4 * 5];
	struct launch_list empty = { 0 }, later = { 0 };
	struct attention *a;
	struct device *device;

	OK(device_open("sim", NULL, &device));
	a = script_open_small(device, graph_paths[_i], 3);
	OK(attention_record(a, 0, 2, &empty));
	for (int step = 0; step < 6; step++)
		OK(attention_step(a, &(struct attention_step){
			.q = values, .k = values, .v = values, .out = out,
			.done = (const bool[]){ step > 4, false, step > 2 } }));
	OK(attention_record(a, 0, 2, &later));
	ck_assert_int_eq(empty.count, later.count);
	for (int i = 0; i < empty.count; i++) {
		const struct launch *launch = &empty.records[i].launch;

		check_same_launch(launch, &later.records[i].launch);
		for (int arg = 0; arg < launch->arg_count; arg++) {
			const struct buffer *buffer = launch->args[arg].buffer;

			ck_assert(!buffer || (buffer != a->io->eager.seq_lens.buffer
						     && buffer != a->io->eager.positions.buffer));
		}
	}
	launch_list_free(&empty);
	launch_list_free(&later);
	attention_destroy(a);
	device_close(device);
}
END_TEST

static void launch_recorded(struct attention *a)
{
	struct launch_list list = { 0 };

	OK(attention_record(a, 0, SCRIPT_LAYERS, &list));
	for (int i = 0; i < list.count; i++)
		OK(device_launch(a->device, &list.records[i].launch));
	launch_list_free(&list);
}

START_TEST(recorded_launches_equal_a_step)
{
	for (int number = 0; number < 8; number++) {
		struct script script = script_case(number);

		script_expect_layers(&script, graph_paths[_i], 1, launch_recorded);
	}
}
END_TEST

START_TEST(a_list_owns_copies)
{
	struct buffer buffer = { .id = 1 };
	struct pointer_field field = { .at = 0, .buffer = &buffer };
	struct launch_attribute attribute = { ATTRIBUTE_MAX_DYNAMIC_SHARED, 50000 };
	char name[] = "blob";
	unsigned char blob[16] = { 7 };
	struct arg args[] = {
		{ .name = name, .kind = PARAM_BLOB, .value.blob = blob, .bytes = sizeof blob,
		  .alignment = 8, .fields = &field, .field_count = 1 },
		ARG_I32(41),
	};
	const struct launch launch = {
		.kernel = kernel_find("kv_scatter"), .grid = { 2, 3, 4 }, .block = { 5, 6, 7 },
		.shared_bytes = 8, .args = args, .arg_count = 2, .attributes = &attribute,
		.attribute_count = 1, .layer = 9,
	};
	struct launch_list list = { 0 };
	const struct launch *kept;

	launch_list_add(&list, &launch);
	memset(args, 0, sizeof args);
	memset(name, 0, sizeof name);
	memset(blob, 0, sizeof blob);
	field.buffer = NULL;
	attribute.value = 0;
	kept = &list.records[0].launch;
	ck_assert_ptr_eq(kept->kernel, launch.kernel);
	ck_assert_mem_eq(&kept->grid, &launch.grid, sizeof launch.grid);
	ck_assert_mem_eq(&kept->block, &launch.block, sizeof launch.block);
	ck_assert_uint_eq(kept->shared_bytes, 8);
	ck_assert_int_eq(kept->layer, 9);
	ck_assert_int_eq(kept->attributes[0].value, 50000);
	ck_assert_str_eq(kept->args[0].name, "blob");
	ck_assert_int_eq(((const unsigned char *)kept->args[0].value.blob)[0], 7);
	ck_assert_ptr_eq(kept->args[0].fields[0].buffer, &buffer);
	ck_assert_int_eq(kept->args[1].value.i32, 41);
	launch_list_free(&list);
	ck_assert_int_eq(list.count, 0);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("launch_list");

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, launches_wait_for_what_they_read);
	tcase_add_loop_test(tests, recorded_launches_fit_every_length, 0, GRAPH_PATHS);
	tcase_add_loop_test(tests, recorded_launches_equal_a_step, 0, GRAPH_PATHS);
	tcase_add_test(tests, a_list_owns_copies);
	return run_suite("launch_list", tests);
}
