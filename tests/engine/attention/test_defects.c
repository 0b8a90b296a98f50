/* test_defects.c - a test for each defect that attention engines have had.
 *
 * The patches in tests/mutants/ bring these defects back, one at a time, and mutants.sh
 * requires the test that a patch names to fail; most of these tests are here. Each is quick and
 * reports the size of the error. Accuracy over many shapes is tested in test_path_accuracy.c, which
 * paths agree bit for bit in test_paths.c.
 */
#include "tests/recording.h"

#include "engine/attention/path_parts.h"
#include "engine/attention/prefill.h"
#include "tests/reference.h"

/* --- decode steps --- */

/* One step of one layer on a new simulator; all but the newest key of every slot are loaded. */
struct decode {
	const struct path *path;
	struct attention_shape shape;
	const int *lengths;             /* [M] keys including the new one; 0: the slot is done */
	uint64_t seed;
	struct device *device;
	struct attention *attention;
	float *q, *out;                 /* [M, H, D] */
	float *k, *v;                   /* [M, Hkv, max_len, D] */
	float *k_new, *v_new;           /* [M, Hkv, D], the last rows of k and v */
};

static uint32_t random_state = 5;

static float *random_floats(size_t count)
{
	return random_values(&random_state, count);
}

static size_t slot_floats(const struct decode *d)
{
	return (size_t)d->shape.kv_heads * (size_t)d->shape.max_len * (size_t)d->shape.head_dim;
}

static void decode_open(struct decode *d)
{
	size_t M = (size_t)d->shape.slots, D = (size_t)d->shape.head_dim;
	size_t q_floats = M * (size_t)d->shape.heads * D;

	d->shape.layers = 1;
	if (d->shape.scale == 0.0f)
		d->shape.scale = attention_scale(d->shape.head_dim);
	d->q = random_floats(q_floats);
	d->out = random_floats(q_floats);
	d->k = random_floats(M * slot_floats(d));
	d->v = random_floats(M * slot_floats(d));
	d->k_new = random_floats(M * (size_t)d->shape.kv_heads * D);
	d->v_new = random_floats(M * (size_t)d->shape.kv_heads * D);
	OK(device_open("sim", &(struct device_options){ .seed = d->seed }, &d->device));
	OK(attention_create(d->path, d->device, &d->shape, &d->attention));
}

static void decode_close(struct decode *d)
{
	attention_destroy(d->attention);
	device_close(d->device);
	free(d->q);
	free(d->out);
	free(d->k);
	free(d->v);
	free(d->k_new);
	free(d->v_new);
}

static void decode_step(struct decode *d)
{
	bool done[32];

	for (int slot = 0; slot < d->shape.slots; slot++) {
		size_t base = (size_t)slot * slot_floats(d);

		done[slot] = d->lengths[slot] == 0;
		if (!done[slot])
			recording_load(d->attention, slot, d->lengths[slot], d->k + base,
				       d->v + base, d->k_new, d->v_new);
	}
	OK(attention_step(d->attention, &(struct attention_step){
		.q = d->q, .k = d->k_new, .v = d->v_new, .done = done, .out = d->out }));
}

/* --- errors --- */

struct distance {
	double squares, exact_squares;
};

/* Adds the error of one row; no element may be NaN. */
static void add_distance(struct distance *sum, const float *out, const double *exact, size_t count,
			 const char *row)
{
	for (size_t i = 0; i < count; i++) {
		ck_assert_msg(!isnan(out[i]), "%s: element %zu is NaN", row, i);
		sum->squares += (out[i] - exact[i]) * (out[i] - exact[i]);
		sum->exact_squares += exact[i] * exact[i];
	}
}

/* Checks the relative error in the L2 norm over all rows. Rounding alone gives about 1e-6. */
static void check_distance(const struct distance *sum)
{
	double relative = sqrt(sum->squares / sum->exact_squares);

	ck_assert_msg(relative < 1e-4, "relative error %.3g %%", 100.0 * relative);
}

static void check_outputs(const struct decode *d)
{
	size_t D = (size_t)d->shape.head_dim, H = (size_t)d->shape.heads;
	size_t head_floats = (size_t)d->shape.max_len * D;
	struct distance sum = { 0 };

	for (size_t row = 0; row < (size_t)d->shape.slots * H; row++) {
		size_t slot = row / H, head = row % H * (size_t)d->shape.kv_heads / H;
		size_t kv = slot * slot_floats(d) + head * head_floats;
		double exact[256];
		float plain[256];
		char name[64];

		snprintf(name, sizeof name, "slot %zu, head %zu", slot, row % H);
		reference_row(d->q + row * D, d->k + kv, d->v + kv, d->lengths[slot], D, D,
			      d->shape.scale, exact, plain);
		add_distance(&sum, d->out + row * D, exact, D, name);
	}
	check_distance(&sum);
}

static void check_step(struct decode *d)
{
	decode_open(d);
	decode_step(d);
	check_outputs(d);
	decode_close(d);
}

/* --- arithmetic of decoding --- */

/* Scores have about the standard normal distribution, and the maximum rises now and then. */
START_TEST(a_rising_maximum_rescales)
{
	struct decode d = {
		.path = &path_flash_decoding, .lengths = (const int[]){ 512 },
		.shape = { .slots = 1, .heads = 8, .kv_heads = 8, .head_dim = 64, .max_len = 512,
			   .chunk = 512, .scale = 3.0f / 8.0f },
	};

	check_step(&d);
}
END_TEST

/* A chunk past the last key does not write its accumulators, which hold poison here. */
START_TEST(chunks_without_keys_count_nothing)
{
	struct decode d = {
		.path = &path_flash_decoding, .lengths = (const int[]){ 5, 17, 64 },
		.shape = { .slots = 3, .heads = 2, .kv_heads = 1, .head_dim = 40, .max_len = 64,
			   .chunk = 16 },
	};

	check_step(&d);
}
END_TEST

START_TEST(keys_of_no_weight_count_nothing)
{
	struct decode d = {
		.path = &path_flash_decoding, .lengths = (const int[]){ 80 },
		.shape = { .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = 8, .max_len = 80,
			   .chunk = 80 },
	};

	decode_open(&d);
	/* Products below the range of float: the first 40 keys, more than one tile, score -inf. */
	for (int i = 0; i < 8; i++)
		d.q[i] = 1e30f;
	for (int i = 0; i < 80 * 8; i++)
		d.k[i] = i < 40 * 8 ? -1e30f : d.k[i] * 1e-30f;
	decode_step(&d);
	check_outputs(&d);
	decode_close(&d);
}
END_TEST

/* --- arithmetic of prefill --- */

static void check_prefill(const struct prefill *p)
{
	size_t D = (size_t)p->head_dim, Dv = (size_t)p->value_dim, Nq = (size_t)p->queries;
	size_t Nk = (size_t)p->keys;
	float *q = random_floats(Nq * D), *k = random_floats(Nk * D), *v = random_floats(Nk * Dv);
	float *out = random_floats(Nq * Dv), plain[256];
	struct distance sum = { 0 };
	struct device *device;
	double exact[256];

	OK(device_open("sim", &(struct device_options){ 0 }, &device));
	OK(prefill_run(device, p, q, k, v, out));
	for (size_t row = 0; row < Nq; row++) {
		char name[64];

		snprintf(name, sizeof name, "query %zu", row);
		reference_row(q + row * D, k, v, p->keys, D, Dv, p->scale, exact, plain);
		add_distance(&sum, out + row * Dv, exact, Dv, name);
	}
	check_distance(&sum);
	device_close(device);
	free(q);
	free(k);
	free(v);
	free(out);
}

/* At any head size, several threads compute a row's score together. */
START_TEST(every_thread_of_a_row_has_its_score)
{
	check_prefill(&(struct prefill){ .heads = 1, .kv_heads = 1, .queries = 5, .keys = 40,
					 .head_dim = 64, .value_dim = 64, .stride = 40,
					 .mask = MASK_NONE, .scale = 0.25f, .layer = -1 });
}
END_TEST

/* The number of keys is not a multiple of the tile size. */
START_TEST(the_last_keys_are_read)
{
	check_prefill(&(struct prefill){ .heads = 1, .kv_heads = 1, .queries = 3, .keys = 100,
					 .head_dim = 32, .value_dim = 32, .stride = 100,
					 .mask = MASK_NONE, .scale = 0.25f, .layer = -1 });
}
END_TEST

START_TEST(all_256_elements_count)
{
	check_prefill(&(struct prefill){ .heads = 1, .kv_heads = 1, .queries = 3, .keys = 40,
					 .head_dim = 256, .value_dim = 64, .stride = 40,
					 .mask = MASK_NONE, .scale = 0.25f, .layer = -1 });
}
END_TEST

/* --- slots --- */

/* Checks what the kernel wrote for a slot on the device, because the host zeroes the row anyway. */
static void check_zero_row(const struct decode *d, int slot)
{
	size_t row = (size_t)d->shape.heads * (size_t)d->shape.head_dim;
	float *out = xcalloc(row, sizeof *out);

	OK(device_download(d->device, NULL, d->attention->io->out,
			   (size_t)slot * row * sizeof(float), out, row * sizeof(float)));
	for (size_t i = 0; i < row; i++)
		ck_assert_msg(out[i] == 0.0f,
			      "slot %d, element %zu: expected 0 without keys, got %g", slot, i,
			      (double)out[i]);
	free(out);
}

static const struct path *const slot_paths[] = { &path_batched, &path_flash_decoding };

/* Slot 1 is done: its new rows are padding, NaN, and its cache holds keys of the sequence that was
 * there before. */
START_TEST(padding_attends_to_nothing)
{
	enum { HELD = 3, FLOATS = 2 * 20 * 16 };
	struct decode d = {
		.path = slot_paths[_i], .lengths = (const int[]){ 9, 0 },
		.shape = { .slots = 2, .heads = 2, .kv_heads = 2, .head_dim = 16, .max_len = 20,
			   .chunk = 4 },
	};
	uint32_t cache[FLOATS];

	decode_open(&d);
	OK(kv_cache_load(d.attention->cache, 0, 1, d.k + FLOATS, d.v + FLOATS, HELD, 20));
	for (size_t i = 2 * 16; i < 2 * 2 * 16; i++)
		d.k_new[i] = d.v_new[i] = NAN;
	decode_step(&d);
	check_zero_row(&d, 1);
	OK(device_download(d.device, NULL, d.attention->cache->k[0], sizeof cache, cache,
			   sizeof cache));
	ck_assert_mem_eq(cache, d.k + FLOATS, HELD * 16 * sizeof(float));
	ck_assert_uint_eq(cache[HELD * 16], DEVICE_POISON);
	ck_assert_int_eq(kv_cache_length(d.attention->cache, 0, 1), HELD);
	decode_close(&d);
}
END_TEST

/* More than eight slots, of different lengths. */
START_TEST(every_slot_has_its_own_memory)
{
	const int lengths[17] = { 1, 30, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 16, 17 };
	struct decode d = {
		.path = slot_paths[_i], .lengths = lengths,
		.shape = { .slots = 17, .heads = 2, .kv_heads = 1, .head_dim = 24, .max_len = 30,
			   .chunk = 8 },
	};

	check_step(&d);
}
END_TEST

/* --- streams and graphs --- */

/* In every legal order of the device's work a new row is in the cache when it is read. */
START_TEST(new_rows_are_there_when_they_are_read)
{
	struct decode d = {
		.path = slot_paths[_i % 2], .lengths = (const int[]){ 9, 1 }, .seed = (uint64_t)_i,
		.shape = { .slots = 2, .heads = 2, .kv_heads = 2, .head_dim = 16, .max_len = 20,
			   .chunk = 4 },
	};

	check_step(&d);
}
END_TEST

static const struct path *const graph_paths[] = {
	&path_incremental, &path_batched, &path_flash_decoding
};

/* Returns the outputs of nine steps of two layers and two slots. */
static float *run_steps(const struct path *path, enum graph_mode mode, size_t *count)
{
	struct attention_shape shape = recording_shape(&(struct recording_options){ .slots = 2 });
	size_t row = (size_t)shape.heads * (size_t)shape.head_dim;
	float *outputs;
	struct device *device;

	shape.graph = mode;
	*count = REC_STEPS * REC_LAYERS * 2 * row;
	outputs = xcalloc(*count, sizeof *outputs);
	OK(device_open("sim", &(struct device_options){ 0 }, &device));
	recording_decode(device, &(struct recording_options){ .path = path, .shape = &shape },
			 outputs);
	device_close(device);
	return outputs;
}

START_TEST(graphs_replay_what_launches_do)
{
	const struct path *path = graph_paths[_i / 2];
	struct distance sum = { 0 };
	size_t count;
	float *eager = run_steps(path, GRAPH_NONE, &count);
	float *graph = run_steps(path, _i % 2 ? GRAPH_MANUAL : GRAPH_CAPTURE, &count);

	for (size_t i = 0; i < count; i++)
		add_distance(&sum, graph + i, &(double){ eager[i] }, 1, path->name);
	check_distance(&sum);
	free(eager);
	free(graph);
}
END_TEST

/* --- sizes --- */

/* Two caches in the same process that differ only in max_len. */
START_TEST(caches_of_two_sizes_are_separate)
{
	struct decode d = {
		.path = slot_paths[_i], .lengths = (const int[]){ 9, 12 },
		.shape = { .slots = 2, .heads = 2, .kv_heads = 2, .head_dim = 16, .max_len = 20,
			   .chunk = 4 },
	};

	check_step(&d);
	d.shape.max_len = 30;
	check_step(&d);
}
END_TEST

/* 1 Mi keys in chunks of 16: one chunk more than a grid has blocks in z. */
START_TEST(a_grid_too_deep_is_refused_at_once)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = 1,
		.max_len = 1 << 20, .chunk = 16, .scale = 1.0f,
	};
	struct attention *attention = NULL;
	struct device *device;
	float x = 1.0f, out;
	enum status status;

	OK(device_open("sim", &(struct device_options){ 0 }, &device));
	status = attention_create(&path_flash_decoding, device, &shape, &attention);
	if (status == STATUS_OK) {
		status = attention_step(attention, &(struct attention_step){
			.q = &x, .k = &x, .v = &x, .out = &out });
		ck_abort_msg("accepted, and then: status %d, CUDA error %d: %s", (int)status,
			     error_code(), error_text());
	}
	ck_assert_int_eq(status, STATUS_USAGE);
	ck_assert_ptr_nonnull(strstr(error_text(), "65536 chunks, the maximum of a grid is 65535"));
	device_close(device);
}
END_TEST

int main(void)
{
	TCase *decode = tcase_create("decode"), *prefill = tcase_create("prefill");
	TCase *slots = tcase_create("slots"), *sizes = tcase_create("sizes");
	TCase *streams = tcase_create("streams"), *graphs = tcase_create("graphs");

	tcase_add_test(decode, a_rising_maximum_rescales);
	tcase_add_test(decode, chunks_without_keys_count_nothing);
	tcase_add_test(decode, keys_of_no_weight_count_nothing);
	tcase_add_test(prefill, every_thread_of_a_row_has_its_score);
	tcase_add_test(prefill, the_last_keys_are_read);
	tcase_add_test(prefill, all_256_elements_count);
	tcase_add_loop_test(slots, padding_attends_to_nothing, 0, COUNT(slot_paths));
	tcase_add_loop_test(slots, every_slot_has_its_own_memory, 0, COUNT(slot_paths));
	tcase_add_loop_test(streams, new_rows_are_there_when_they_are_read, 0, 16);
	tcase_add_loop_test(graphs, graphs_replay_what_launches_do, 0, 2 * COUNT(graph_paths));
	tcase_add_loop_test(sizes, caches_of_two_sizes_are_separate, 0, COUNT(slot_paths));
	tcase_add_test(sizes, a_grid_too_deep_is_refused_at_once);
	return run_suites("defects", (TCase *[]){ decode, prefill, slots, streams, graphs, sizes },
			  6);
}
