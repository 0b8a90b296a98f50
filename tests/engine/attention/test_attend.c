/* test_attend.c - the flash-decoding path on the simulator, against float64 and the sample model's
 * reference vectors.
 *
 * Also tests that a slot gives the same bits in a batch as alone, and that seeds and jobs change no
 * bit. Decodes of a whole model are in test_decode.c.
 */
#include "tests/sample.h"

#include <stdbool.h>
#include <stdint.h>

#include "engine/attention/path.h"

/* --- cases --- */

struct attend_case {
	int slots, heads, kv_heads, head_dim, keys, chunk;
};

static uint64_t random_state = 1;

/* A number in [-1, 1), the same sequence in every run (Knuth's MMIX generator, high bits). */
static float next_random(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (float)(random_state >> 40) * 0x1p-23f - 1.0f;
}

static float *random_floats(size_t count)
{
	float *values = malloc((count + 1) * sizeof *values);

	ck_assert_ptr_nonnull(values);
	for (size_t i = 0; i < count; i++)
		values[i] = next_random();
	return values;
}

static struct device *open_simulator(uint64_t seed, int jobs)
{
	const struct device_options options = { .seed = seed, .jobs = jobs };
	struct device *device;

	OK(device_open("sim", &options, &device));
	return device;
}

static struct attention *open_path(struct device *device, const struct attend_case *c, int max_len)
{
	const struct attention_shape shape = {
		.layers = 1, .slots = c->slots, .heads = c->heads, .kv_heads = c->kv_heads,
		.head_dim = c->head_dim, .max_len = max_len, .chunk = c->chunk,
		.scale = attention_scale(c->head_dim),
	};
	struct attention *attention;

	OK(attention_create(path_find("flash-decoding"), device, &shape, &attention));
	return attention;
}

/* Tensors of a case: q [M, H, D]; k, v [M, Hkv, n, D]; copies of the newest rows, [M, Hkv, D]. */
struct tensors {
	float *q, *k, *v, *k_new, *v_new, *out;
	size_t q_count;
};

static void take_rows(const struct attend_case *c, const float *cache, const int *lengths,
		      float *out)
{
	size_t D = (size_t)c->head_dim;

	for (int slot = 0; slot < c->slots; slot++)
		for (int head = 0; head < c->kv_heads && lengths[slot] > 0; head++) {
			size_t row = (size_t)(slot * c->kv_heads + head);
			size_t last = row * (size_t)c->keys + (size_t)lengths[slot] - 1;

			memcpy(out + row * D, cache + last * D, D * sizeof(float));
		}
}

static struct tensors make_tensors(const struct attend_case *c, const int *lengths)
{
	size_t D = (size_t)c->head_dim, kv = (size_t)(c->slots * c->kv_heads);
	struct tensors t = { .q_count = (size_t)(c->slots * c->heads) * D };

	t.q = random_floats(t.q_count);
	t.k = random_floats(kv * (size_t)c->keys * D);
	t.v = random_floats(kv * (size_t)c->keys * D);
	t.k_new = random_floats(kv * D);
	t.v_new = random_floats(kv * D);
	t.out = random_floats(t.q_count);
	take_rows(c, t.k, lengths, t.k_new);
	take_rows(c, t.v, lengths, t.v_new);
	return t;
}

static void free_tensors(struct tensors *t)
{
	free(t->q);
	free(t->k);
	free(t->v);
	free(t->k_new);
	free(t->v_new);
	free(t->out);
}

/* Loads all keys but the last of each sequence, then runs one step into t->out. */
static enum status run_step(struct attention *attention, const struct attend_case *c,
			    const struct tensors *t, const int *lengths)
{
	size_t slot_size = (size_t)c->kv_heads * (size_t)c->keys * (size_t)c->head_dim;
	bool *done = calloc((size_t)c->slots + 1, sizeof *done);
	enum status status;

	ck_assert_ptr_nonnull(done);
	for (int slot = 0; slot < c->slots; slot++) {
		done[slot] = lengths[slot] == 0;
		if (!done[slot])
			OK(kv_cache_load(attention->cache, 0, slot,
					 t->k + (size_t)slot * slot_size,
					 t->v + (size_t)slot * slot_size,
					 lengths[slot] - 1, c->keys));
	}
	status = attention_step(attention, &(struct attention_step){
		.q = t->q, .k = t->k_new, .v = t->v_new, .done = done, .out = t->out });
	free(done);
	return status;
}

/* Attention of one row in double; returns the largest |v|. */
static double reference_row(const struct attend_case *c, const float *q, const float *k,
			    const float *v, int keys, double *out)
{
	size_t D = (size_t)c->head_dim;
	double *weight = malloc(((size_t)keys + 1) * sizeof *weight);
	double max_score = -INFINITY, sum = 0.0, largest = 0.0;

	for (size_t n = 0; n < (size_t)keys; n++) {
		weight[n] = 0.0;
		for (size_t d = 0; d < D; d++)
			weight[n] += (double)q[d] * k[n * D + d];
		weight[n] *= attention_scale(c->head_dim);
		max_score = fmax(max_score, weight[n]);
	}
	for (int n = 0; n < keys; n++)
		sum += weight[n] = exp(weight[n] - max_score);
	for (size_t d = 0; d < D; d++) {
		out[d] = 0.0;
		for (size_t n = 0; n < (size_t)keys; n++) {
			out[d] += weight[n] / sum * v[n * D + d];
			largest = fmax(largest, fabs(v[n * D + d]));
		}
	}
	free(weight);
	return largest;
}

static void check_output(const struct attend_case *c, const struct tensors *t, const int *lengths)
{
	size_t D = (size_t)c->head_dim;
	double wanted[256];

	for (int slot = 0; slot < c->slots; slot++)
		for (int head = 0; head < c->heads; head++) {
			size_t row = (size_t)(slot * c->heads + head);
			size_t kv = (size_t)(slot * c->kv_heads + head * c->kv_heads / c->heads)
				* (size_t)c->keys * D;
			double largest = reference_row(c, t->q + row * D, t->k + kv, t->v + kv,
						       lengths[slot], wanted);

			for (size_t d = 0; d < D; d++)
				ck_assert_double_le(fabs(t->out[row * D + d] - wanted[d]),
						    4e-6 * largest);
		}
}

static void check_case(const struct attend_case *c, const int *lengths, uint64_t seed)
{
	struct device *device = open_simulator(seed, 1);
	struct attention *attention = open_path(device, c, c->keys > 0 ? c->keys : 1);
	struct tensors t = make_tensors(c, lengths);

	OK(run_step(attention, c, &t, lengths));
	check_output(c, &t, lengths);
	for (int slot = 0; slot < c->slots; slot++)
		ck_assert_int_eq(kv_cache_length(attention->cache, 0, slot), lengths[slot]);
	free_tensors(&t);
	attention_destroy(attention);
	device_close(device);
}

/* Head sizes and key counts on both sides of the kernels' step sizes. */
static const struct attend_case cases[] = {
	{ 1, 4, 4, 64, 100, 128 },
	{ 1, 8, 2, 64, 129, 32 },
	{ 1, 6, 3, 1, 33, 16 },
	{ 1, 2, 1, 31, 64, 16 },
	{ 1, 2, 2, 33, 65, 64 },
	{ 1, 3, 1, 100, 1, 128 },
	{ 1, 2, 1, 256, 70, 33 },
	{ 1, 1, 1, 255, 5, 1 },
	{ 3, 4, 2, 40, 90, 32 },
	{ 2, 2, 1, 128, 257, 128 },
};

START_TEST(outputs_match_double_precision)
{
	const struct attend_case *c = &cases[_i];
	int lengths[3] = { c->keys, c->keys / 2, 0 };

	check_case(c, lengths, (uint64_t)_i);
}
END_TEST

/* --- properties --- */

START_TEST(a_batched_row_equals_a_solo_row)
{
	static const struct attend_case batch = { 3, 4, 2, 64, 80, 32 };
	static const struct attend_case solo = { 1, 4, 2, 64, 80, 32 };
	static const int lengths[] = { 80, 1, 37 };
	size_t q_row = 4 * 64, cache_row = 2 * 80 * 64, new_row = 2 * 64;
	struct tensors t = make_tensors(&batch, lengths);
	struct device *device = open_simulator(0, 1);
	struct attention *attention = open_path(device, &batch, 80);

	OK(run_step(attention, &batch, &t, lengths));
	for (size_t slot = 0; slot < 3; slot++) {
		float out[4 * 64];
		struct tensors one = {
			.q = t.q + slot * q_row, .out = out,
			.k = t.k + slot * cache_row, .v = t.v + slot * cache_row,
			.k_new = t.k_new + slot * new_row, .v_new = t.v_new + slot * new_row,
		};
		struct attention *alone = open_path(device, &solo, 80);

		OK(run_step(alone, &solo, &one, &lengths[slot]));
		ck_assert_mem_eq(out, t.out + slot * q_row, sizeof out);
		attention_destroy(alone);
	}
	free_tensors(&t);
	attention_destroy(attention);
	device_close(device);
}
END_TEST

START_TEST(seeds_and_jobs_change_no_bit)
{
	static const struct attend_case c = { 2, 4, 2, 48, 70, 16 };
	static const int lengths[] = { 70, 20 };
	struct tensors t = make_tensors(&c, lengths);
	float first[2 * 4 * 48];

	for (int run = 0; run < 4; run++) {
		struct device *device = open_simulator((uint64_t)run, 1 + run % 2);
		struct attention *attention = open_path(device, &c, 70);

		OK(run_step(attention, &c, &t, lengths));
		if (run == 0)
			memcpy(first, t.out, sizeof first);
		ck_assert_mem_eq(first, t.out, sizeof first);
		attention_destroy(attention);
		device_close(device);
	}
	free_tensors(&t);
}
END_TEST

START_TEST(a_done_slot_is_zeros_and_keeps_its_length)
{
	static const struct attend_case c = { 2, 2, 1, 32, 10, 8 };
	static const int lengths[] = { 10, 0 };
	struct tensors t = make_tensors(&c, lengths);
	struct device *device = open_simulator(0, 1);
	struct attention *attention = open_path(device, &c, 12);
	const struct attention_step next = {
		.q = t.q, .k = t.k_new, .v = t.v_new, .out = t.out,
		.done = (const bool[]){ true, false },
	};

	OK(run_step(attention, &c, &t, lengths));
	for (size_t i = t.q_count / 2; i < t.q_count; i++)
		ck_assert_float_eq(t.out[i], 0.0f);
	/* It can join later, while the other one is done. */
	OK(attention_step(attention, &next));
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 0), 10);
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 1), 1);
	ck_assert_float_eq(t.out[0], 0.0f);
	ck_assert_float_ne(t.out[t.q_count - 1], 0.0f);
	free_tensors(&t);
	attention_destroy(attention);
	device_close(device);
}
END_TEST

START_TEST(nan_is_propagated)
{
	static const struct attend_case c = { 1, 2, 2, 32, 40, 16 };
	static const int lengths[] = { 40 };
	struct tensors t = make_tensors(&c, lengths);
	struct device *device = open_simulator(0, 1);
	struct attention *attention = open_path(device, &c, 40);

	t.q[0] = NAN;
	OK(run_step(attention, &c, &t, lengths));
	for (size_t d = 0; d < 32; d++) {
		ck_assert(isnan(t.out[d]));
		ck_assert(!isnan(t.out[32 + d]));
	}
	free_tensors(&t);
	attention_destroy(attention);
	device_close(device);
}
END_TEST

/* --- refusals --- */

START_TEST(a_full_slot_is_refused_and_nothing_is_written)
{
	static const struct attend_case c = { 2, 2, 1, 16, 3, 2 };
	static const int lengths[] = { 3, 2 };
	struct tensors t = make_tensors(&c, lengths);
	struct device *device = open_simulator(0, 1);
	struct attention *attention = open_path(device, &c, 3);
	float before[2 * 3 * 16], after[2 * 3 * 16];
	struct attention_step step = { .q = t.q, .k = t.q, .v = t.q, .out = t.out };

	OK(run_step(attention, &c, &t, lengths));
	OK(device_download(device, NULL, attention->cache->k[0], 0, before, sizeof before));
	FAILS(attention_step(attention, &step), STATUS_USAGE,
	      "slot 0 is full: 3 of 3");
	OK(device_download(device, NULL, attention->cache->k[0], 0, after, sizeof after));
	ck_assert_mem_eq(before, after, sizeof before);
	ck_assert_int_eq(kv_cache_length(attention->cache, 0, 1), 2);
	step.layer = 1;
	FAILS(attention_step(attention, &step), STATUS_USAGE, "layer of 0 to 0, got 1");
	free_tensors(&t);
	attention_destroy(attention);
	device_close(device);
}
END_TEST

/* Fields after the warps. */
#define REST GRAPH_NONE, 0, DTYPE_F32, NULL, NULL, 0.0f, 0, 0, false, { 0, 0, 0, NULL, false }, 0

static const struct { struct attention_shape shape; const char *message; } bad_shapes[] = {
	{ { 1, 1, 4, 2, 257, 64, 32, 1.0f, 1, REST }, "head size of 1 to 256, got 257" },
	{ { 1, 1, 4, 2, 0, 64, 32, 1.0f, 1, REST }, "head size of 1 to 256, got 0" },
	{ { 1, 1, 4, 3, 64, 64, 32, 1.0f, 1, REST }, "heads are not a multiple of 3" },
	{ { 1, 1, 4, 0, 64, 64, 32, 1.0f, 1, REST }, "not a multiple of 0" },
	{ { 1, 1, 4, 2, 64, 0, 32, 1.0f, 1, REST }, "1 to 2146435071 keys, got 0" },
	{ { 1, 1, 4, 2, 64, 64, 0, 1.0f, 1, REST },
	  "a chunk of 1 to 1048576 keys, got 0"
	},
	{ { 1, 70000, 4, 2, 64, 64, 32, 1.0f, 1, REST }, "70000 slots" },
	{ { 1, 1, 4, 2, 64, 1 << 20, 15, 1.0f, 1, REST }, "use a chunk of 17 keys" },
};

START_TEST(shapes_that_cannot_run_are_refused)
{
	struct device *device = open_simulator(0, 1);
	struct attention *attention;

	FAILS(attention_create(path_find("flash-decoding"), device, &bad_shapes[_i].shape,
			       &attention), STATUS_USAGE, bad_shapes[_i].message);
	device_close(device);
}
END_TEST

START_TEST(no_work_succeeds)
{
	static const struct attend_case none[] = { { 0, 4, 2, 64, 8, 8 }, { 1, 0, 0, 64, 8, 8 } };
	struct device *device = open_simulator(0, 1);

	for (int i = 0; i < 2; i++) {
		struct attention *attention = open_path(device, &none[i], 8);

		OK(attention_step(attention, &(struct attention_step){ .layer = 0 }));
		attention_destroy(attention);
	}
	device_close(device);
}
END_TEST

/* --- the sample model --- */

static const struct { const char *which; int layer; } captured[] = {
	{ "romeo", 0 }, { "romeo", 2 }, { "long", 0 }, { "long", 2 }, { "short", 1 },
};

static struct npy layer_array(int index, const char *part, enum dtype dtype)
{
	char name[32];

	snprintf(name, sizeof name, "layer%d_%s", captured[index].layer, part);
	return sample_npy(captured[index].which, name, dtype);
}

/* q is (8, 64), or (8, n, 64) for all positions, of which the last one is used. */
static float *last_query(const struct npy *q)
{
	size_t D = 64, per_head = q->count / 8;
	float *rows = malloc(8 * D * sizeof *rows);

	for (size_t head = 0; head < 8; head++)
		memcpy(rows + head * D, (const float *)q->data + (head + 1) * per_head - D,
		       D * sizeof *rows);
	return rows;
}

START_TEST(captured_layers_match_their_float64_outputs)
{
	struct npy q = layer_array(_i, "q", DTYPE_F32), k = layer_array(_i, "k", DTYPE_F32);
	struct npy v = layer_array(_i, "v", DTYPE_F32);
	struct npy wanted = layer_array(_i, "out64", DTYPE_F64);
	int keys = (int)k.shape[1];
	const struct attend_case c = { 1, 8, 2, 64, keys, 128 };
	float out[8 * 64], k_new[2 * 64], v_new[2 * 64];
	struct tensors t = {
		.q = last_query(&q), .k = k.data, .v = v.data, .k_new = k_new, .v_new = v_new,
		.out = out,
	};
	struct device *device = open_simulator(0, 1);
	struct attention *attention = open_path(device, &c, keys);

	take_rows(&c, t.k, &keys, k_new);
	take_rows(&c, t.v, &keys, v_new);
	OK(run_step(attention, &c, &t, &keys));
	for (size_t i = 0; i < 8 * 64; i++)
		ck_assert_double_le(fabs(out[i] - ((const double *)wanted.data)[i]), 2e-6);
	free(t.q);
	attention_destroy(attention);
	device_close(device);
	npy_free(&q);
	npy_free(&k);
	npy_free(&v);
	npy_free(&wanted);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("attend");

	tcase_set_timeout(tests, 240);
	tcase_add_loop_test(tests, outputs_match_double_precision, 0,
			    sizeof cases / sizeof cases[0]);
	tcase_add_test(tests, a_batched_row_equals_a_solo_row);
	tcase_add_test(tests, seeds_and_jobs_change_no_bit);
	tcase_add_test(tests, a_done_slot_is_zeros_and_keeps_its_length);
	tcase_add_test(tests, nan_is_propagated);
	tcase_add_test(tests, a_full_slot_is_refused_and_nothing_is_written);
	tcase_add_loop_test(tests, shapes_that_cannot_run_are_refused, 0,
			    sizeof bad_shapes / sizeof bad_shapes[0]);
	tcase_add_test(tests, no_work_succeeds);
	tcase_add_loop_test(tests, captured_layers_match_their_float64_outputs, 0,
			    sizeof captured / sizeof captured[0]);
	return run_suite("attend", tests);
}
