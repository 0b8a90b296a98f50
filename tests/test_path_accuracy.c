/* test_path_accuracy.c - every attention path on the simulator over random shapes, against float64
 * by the accuracy rule; prefill attention with any shape and mask.
 *
 * What paths have in common bit for bit is in test_paths.c.
 */
#include "config.h"

#include "tests/path_case.h"

#include "engine/prefill.h"
#include "tests/reference.h"
#include "tests/sample.h"

/* --- accuracy: at most twice the error of plain f32 softmax, plus 2^-20 of the greatest value
 * --- */

struct errors {
	double worst, plain_worst, squares, plain_squares, greatest;
};

/* Adds what one output row is off; values lie in [-1, 1), which is also the hull of every
 * output. */
static void add_row(struct errors *e, const float *out, const double *exact, const float *plain,
		    size_t Dv)
{
	for (size_t d = 0; d < Dv; d++) {
		double off = fabs(out[d] - exact[d]), plain_off = fabs(plain[d] - exact[d]);

		ck_assert_msg(fabsf(out[d]) <= 1.0f + 0x1p-20f, "element %zu is %g", d,
			      (double)out[d]);
		e->worst = fmax(e->worst, off);
		e->plain_worst = fmax(e->plain_worst, plain_off);
		e->squares += off * off;
		e->plain_squares += plain_off * plain_off;
	}
}

static void check_errors(struct errors *total, const struct errors *e, const char *what)
{
	ck_assert_msg(e->worst <= 2.0 * e->plain_worst + 0x1p-20, "%s: %g off, plain softmax is %g",
		      what, e->worst, e->plain_worst);
	total->squares += e->squares;
	total->plain_squares += e->plain_squares;
}

static void check_case(const struct path *path, const struct path_case *c, struct errors *total)
{
	float *out = path_run(path, c, (uint64_t)c->head_dim), plain[256];
	size_t D = (size_t)c->head_dim;
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof(what), "%s: M %d, H %d, Hkv %d, D %d, C %d, max_len %d, scores %d",
		 path->name, c->slots, c->heads, c->kv_heads, c->head_dim, c->chunk, c->max_len,
		 (int)c->scores);
	for (size_t row = 0; row < path_rows(c); row++) {
		size_t slot = row / (size_t)c->heads, head = row % (size_t)c->heads;
		size_t kv = slot * path_slot_size(c) + head * (size_t)c->kv_heads / (size_t)c->heads
			* (size_t)c->max_len * D;

		reference_row(c->q + row * D, c->k + kv, c->v + kv, c->lengths[slot], D, D,
			      c->scale, exact, plain);
		/* Huge scores: who wins is settled in the last bit of f32, so only the hull is
		 * asked for. */
		if (c->scores == SCORES_HUGE)
			add_row(&(struct errors){ 0 }, out + row * D, exact, plain, D);
		else
			add_row(&e, out + row * D, exact, plain, D);
	}
	check_errors(total, &e, what);
	free(out);
}

enum { CASES = 36 };
static const struct path *const step_paths[] = {
	&path_prefill, &path_cached, &path_incremental, &path_incremental_multiwarp, &path_batched,
	&path_flash_decoding, &path_auto,
};

START_TEST(random_shapes_are_accurate)
{
	const struct path *path = step_paths[_i];
	struct errors total = { 0 };

	for (int i = 0; i < CASES; i++) {
		struct path_case c = path_case_random(i, path == &path_cached, path == &path_cached);

		if (path == &path_auto && i % 3 == 0)
			c.chunk = 0;
		check_case(path, &c, &total);
		path_case_free(&c);
	}
	ck_assert_msg(total.squares <= 1.5 * 1.5 * total.plain_squares,
		      "%s: RMS error %g times plain's", path->name,
		      sqrt(total.squares / total.plain_squares));
}
END_TEST

/* --- prefill: Nq != Nk, D != Dv, both masks --- */

static int visible_keys(const struct prefill *p, int query)
{
	int keys = p->mask == MASK_NONE ? p->keys
		: query + 1 + (p->mask == MASK_BOTTOM_RIGHT ? p->keys - p->queries : 0);

	return keys < 0 ? 0 : keys > p->keys ? p->keys : keys;
}

static void check_prefill(struct device *device, const struct prefill *p, struct errors *total)
{
	size_t D = (size_t)p->head_dim, Dv = (size_t)p->value_dim, Nq = (size_t)p->queries;
	size_t Nk = (size_t)p->keys, H = (size_t)p->heads, Hkv = (size_t)p->kv_heads;
	float *q = path_values(H * Nq * D), *k = path_values(Hkv * Nk * D);
	float *v = path_values(Hkv * Nk * Dv), *out = path_values(H * Nq * Dv), plain[256];
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof(what), "H %d, Hkv %d, Nq %d, Nk %d, D %d, Dv %d, mask %d", p->heads,
		 p->kv_heads, p->queries, p->keys, p->head_dim, p->value_dim, (int)p->mask);
	OK(prefill_run(device, p, q, k, v, out));
	for (size_t row = 0; row < H * Nq; row++) {
		size_t kv = row / Nq * Hkv / H * Nk;

		reference_row(q + row * D, k + kv * D, v + kv * Dv,
			      visible_keys(p, (int)(row % Nq)), D, Dv, p->scale, exact, plain);
		add_row(&e, out + row * Dv, exact, plain, Dv);
	}
	check_errors(total, &e, what);
	free(q);
	free(k);
	free(v);
	free(out);
}

START_TEST(prefill_takes_any_shape_and_mask)
{
	static const int sizes[] = { 1, 15, 16, 17, 31, 32, 33, 63, 65, 100 };
	struct device *device = path_simulator(3);
	struct errors total = { 0 };

	for (int i = 0; i < 30; i++) {
		struct prefill p = {
			.kv_heads = path_pick(1, 3),
			.queries = sizes[path_pick(0, 9)],
			.keys = sizes[path_pick(0, 9)],
			.head_dim = i % 3 ? path_pick(1, 130) : path_pick(1, 256),
			.value_dim = path_pick(1, 140),
			.mask = (enum causal_mask)(i % 3),
			.layer = -1,
		};

		p.heads = p.kv_heads * path_pick(1, 3);
		p.stride = p.keys;
		p.scale = attention_scale(p.head_dim);
		check_prefill(device, &p, &total);
	}
	ck_assert(total.squares <= 1.5 * 1.5 * total.plain_squares);
	device_close(device);
}
END_TEST

/* All 96 positions of a layer of the sample model; the reference is f32 too, [position, head,
 * D]. */
START_TEST(a_captured_layer_matches_at_every_position)
{
	struct npy q = sample_npy("short", "layer1_q", DTYPE_F32);
	struct npy k = sample_npy("short", "layer1_k", DTYPE_F32);
	struct npy v = sample_npy("short", "layer1_v", DTYPE_F32);
	struct npy wanted = sample_npy("short", "layer1_out", DTYPE_F32);
	const struct prefill p = {
		.heads = 8,
		.kv_heads = 2,
		.queries = 96,
		.keys = 96,
		.head_dim = 64,
		.value_dim = 64,
		.stride = 96,
		.mask = MASK_BOTTOM_RIGHT,
		.scale = attention_scale(64),
		.layer = -1,
	};
	struct device *device = path_simulator(0);
	float *out = path_values(wanted.count);

	ck_assert_uint_eq(wanted.count, 96 * 8 * 64);
	OK(prefill_run(device, &p, q.data, k.data, v.data, out));
	for (size_t i = 0; i < 96; i++)
		for (size_t h = 0; h < 8; h++)
			ck_assert_double_le(greatest_difference(out + (h * 96 + i) * 64,
				(const float *)wanted.data + (i * 8 + h) * 64, 64), 1e-5);
	device_close(device);
	free(out);
	npy_free(&q);
	npy_free(&k);
	npy_free(&v);
	npy_free(&wanted);
}
END_TEST

START_TEST(prefill_without_work_or_keys)
{
	struct prefill p = {
		.heads = 2, .kv_heads = 1, .queries = 3, .head_dim = 4, .value_dim = 5
	};
	struct device *device = path_simulator(0);
	float q[2 * 3 * 4] = { 0 }, out[2 * 3 * 5];

	memset(out, 0xff, sizeof(out));
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	for (size_t i = 0; i < 2 * 3 * 5; i++)
		ck_assert_float_eq(out[i], 0.0f);
	p.value_dim = 0;
	OK(prefill_run(device, &p, q, NULL, NULL, out));
	p = (struct prefill){
		.heads = 3, .kv_heads = 2, .queries = 1, .head_dim = 1, .value_dim = 1
	};
	FAILS(prefill_run(device, &p, q, q, q, out), STATUS_USAGE,
	      "3 query heads are no multiple of 2");
	p = (struct prefill){
		.heads = 1, .kv_heads = 1, .queries = 1, .head_dim = 1, .value_dim = 257
	};
	FAILS(prefill_run(device, &p, q, q, q, out), STATUS_USAGE, "value size 257");
	device_close(device);
}
END_TEST

/* Dynamic shared memory just below 48 KiB is above it with the kernel's own. */
START_TEST(shared_memory_around_48_KiB)
{
	static const struct { const struct path *path; int least, most; } sizes[] = {
		{ &path_incremental_multiwarp, 92, 96 }, { &path_flash_decoding, 186, 192 },
	};

	for (int D = sizes[_i].least; D <= sizes[_i].most; D++) {
		struct path_case c = { .slots = 1, .heads = 1, .kv_heads = 1, .head_dim = D,
				       .max_len = 5, .chunk = 4, .warps = 2, .lengths = { 5 } };
		struct errors total = { 0 };

		path_case_fill(&c);
		check_case(sizes[_i].path, &c, &total);
		path_case_free(&c);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("path_accuracy");
	int paths = sizeof(step_paths) / sizeof(step_paths[0]);

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, random_shapes_are_accurate, 0, paths);
	tcase_add_loop_test(tests, shared_memory_around_48_KiB, 0, 2);
	tcase_add_test(tests, prefill_takes_any_shape_and_mask);
	tcase_add_test(tests, a_captured_layer_matches_at_every_position);
	tcase_add_test(tests, prefill_without_work_or_keys);
	return run_suite("path_accuracy", tests);
}
