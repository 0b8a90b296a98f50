/* test_state_digests.c - digests of buffers after a step are those of their contents, although of
 * large ones only what launches list as written is read.
 *
 * Every path on the simulator, which also shows that its kernels list all that they write; then
 * writes that are in no list.
 */
#include "config.h"

#include "tests/path_case.h"

#include "traces/digest.h"
#include "traces/digest_parts.h"

/* The digest stored last for a buffer after a step. */
static uint64_t stored_digest(struct store *store, const char *buffer)
{
	char sql[256];

	snprintf(sql, sizeof sql, "SELECT digest FROM t_digest d WHERE after_step AND buffer = "
		 "(SELECT buffer FROM t_buffer WHERE name = '%s') ORDER BY d.op DESC LIMIT 1",
		 buffer);
	return (uint64_t)query(store, sql);
}

static uint64_t digest_of(struct device *recorder, const struct buffer *buffer)
{
	const void *memory = device_peek(recorder->inner, buffer);

	ck_assert_ptr_nonnull(memory);
	ck_assert_uint_ge(buffer->bytes, DIGEST_PARTS_MIN);
	return digest_bytes(buffer->dtype, memory, buffer->bytes);
}

static void check_buffer(struct store *store, struct device *recorder, const struct buffer *buffer)
{
	uint64_t stored = stored_digest(store, buffer->name);
	uint64_t expected = digest_of(recorder, buffer);

	ck_assert_msg(stored == expected, "%s: expected digest %llx, got %llx", buffer->name,
		      (unsigned long long)expected, (unsigned long long)stored);
}

/* --- paths --- */

enum { MAX_LEN = 66, D = 64, STEPS = 7, PROMPT = 5, VALUES = 2 * 4 * D };

static void decode(struct store *store, struct device *recorder, struct attention *a)
{
	float q[VALUES], k[VALUES], v[VALUES], out[VALUES];
	uint32_t random = 7;

	for (int step = 0; step < STEPS; step++) {
		OK(device_step_begin(recorder, step + 1));
		for (int layer = 0; layer < REC_LAYERS; layer++) {
			recording_fill(q, VALUES, &random, false);
			recording_fill(k, VALUES, &random, false);
			recording_fill(v, VALUES, &random, false);
			OK(attention_step(a, &(struct attention_step){
				.layer = layer, .q = q, .k = k, .v = v, .out = out }));
		}
		OK(device_step_end(recorder));
		for (int layer = 0; layer < REC_LAYERS; layer++) {
			check_buffer(store, recorder, a->cache->k[layer]);
			check_buffer(store, recorder, a->cache->v[layer]);
		}
	}
}

START_TEST(every_path_lists_what_it_writes)
{
	const struct path_way *way = &path_ways[_i];
	const struct attention_shape shape = {
		.layers = REC_LAYERS, .slots = way->path == &path_cached ? 1 : 2, .heads = 4,
		.kv_heads = way->path == &path_cached ? 4 : 2, .head_dim = D, .max_len = MAX_LEN,
		.chunk = 16, .scale = attention_scale(D), .graph = way->graph,
	};
	struct store *store = new_store();
	struct device *recorder = recording_open(store,
						 &(struct recording_options){ .path = way->path });
	const struct recording_options prompt = { .prompt = PROMPT };
	struct attention *a;
	uint32_t random = 3;

	OK(attention_create(way->path, recorder, &shape, &a));
	recording_prompt(a, &prompt, &random);
	decode(store, recorder, a);
	attention_destroy(a);
	OK(recorder_finish(recorder, STATUS_OK));
	OK(store_close(store));
}
END_TEST

/* --- writes that are not listed --- */

static struct buffer *new_buffer(struct device *device, const char *name, bool managed)
{
	const struct buffer_spec spec = { name, DTYPE_F32, 1, { 8192 } };
	struct buffer *buffer;

	if (managed)
		OK(device_alloc_managed(device, &spec, &buffer));
	else
		OK(device_alloc(device, &spec, &buffer));
	return buffer;
}

/* A step that uploads a value to the buffer. */
static void step(struct device *recorder, int number, struct buffer *buffer)
{
	const float value = 1.0f + (float)number;

	OK(device_step_begin(recorder, number));
	OK(device_upload(recorder, NULL, buffer, 0, &value, sizeof value));
	OK(device_step_end(recorder));
}

/* Writes a value without a call. */
static void poke(struct device *recorder, const struct buffer *buffer)
{
	float *memory = (float *)(uintptr_t)device_peek(recorder->inner, buffer);

	memory[5000] = 3.25f;
}

START_TEST(managed_memory_is_read_whole)
{
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	struct buffer *b = new_buffer(recorder, "managed", true);

	step(recorder, 0, b);
	poke(recorder, b);
	step(recorder, 1, b);
	check_buffer(store, recorder, b);
	OK(recorder_finish(recorder, STATUS_OK));
	OK(store_close(store));
}
END_TEST

START_TEST(a_kernel_without_a_list_may_write_any_buffer)
{
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	struct buffer *b = new_buffer(recorder, "other", false);
	struct recording_scatter s;
	struct kernel kernel;

	recording_scatter(recorder, &s);
	kernel = *s.launch.kernel;
	kernel.writes = NULL;
	step(recorder, 0, b);
	/* What such a kernel may do through an address that it finds in memory. */
	poke(recorder, b);
	step(recorder, 1, b);
	ck_assert_uint_ne(stored_digest(store, "other"), digest_of(recorder, b));
	s.launch.kernel = &kernel;
	OK(device_launch(recorder, &s.launch));
	step(recorder, 2, b);
	check_buffer(store, recorder, b);
	OK(recorder_finish(recorder, STATUS_OK));
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("state digests");

	tcase_add_loop_test(tests, every_path_lists_what_it_writes, 0, PATH_WAYS);
	tcase_add_test(tests, managed_memory_is_read_whole);
	tcase_add_test(tests, a_kernel_without_a_list_may_write_any_buffer);
	return run_suite("state digests", tests);
}
