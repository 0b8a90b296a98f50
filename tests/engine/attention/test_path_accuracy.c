/* test_path_accuracy.c - the accuracy of every attention path on the simulator, against float64.
 *
 * Paths run over random shapes by separate launches and by graphs. The rule is in tests/accuracy.h;
 * which paths agree bit for bit is tested by test_paths.c.
 */
#include "config.h"

#include "tests/path_case.h"

#include "tests/accuracy.h"
#include "tests/reference.h"

static void check_case(const struct path *path, const struct path_case *c, struct errors *total)
{
	float *out = path_run(path, c, (uint64_t)c->head_dim), plain[256];
	size_t D = (size_t)c->head_dim;
	struct errors e = { 0 };
	double exact[256];
	char what[160];

	snprintf(what, sizeof what, "%s, %s: M %d, H %d, Hkv %d, D %d, C %d, max_len %d, scores %d",
		 path->name, graph_mode_name(c->graph), c->slots, c->heads, c->kv_heads,
		 c->head_dim, c->chunk, c->max_len, (int)c->scores);
	for (size_t row = 0; row < path_rows(c); row++) {
		size_t slot = row / (size_t)c->heads, head = row % (size_t)c->heads;
		size_t kv = slot * path_slot_size(c) + head * (size_t)c->kv_heads / (size_t)c->heads
			* (size_t)c->max_len * D;

		reference_row(c->q + row * D, c->k + kv, c->v + kv, c->lengths[slot], D, D,
			      c->scale, exact, plain);
		check_hull(out + row * D, c->v + kv, c->lengths[slot], D, what);
		/* With huge scores the last bit of f32 decides which key wins, so only the hull is
		 * checked. */
		if (c->scores != SCORES_HUGE)
			add_row(&e, out + row * D, exact, plain, c->v + kv, c->lengths[slot], D);
	}
	check_errors(total, &e, what);
	free(out);
}

START_TEST(random_shapes_are_accurate)
{
	const struct path_way *way = &path_ways[_i];
	struct errors total = { 0 };

	for (int i = 0; i < PATH_CASES; i++) {
		struct path_case c = path_case_for(way, i);

		check_case(way->path, &c, &total);
		path_case_free(&c);
	}
	check_rms(&total, way->path->name);
}
END_TEST

/* No keys, one, all, and both sides of every chunk boundary, each in its own slot. */
START_TEST(every_chunk_boundary)
{
	static const int chunks[] = { 1, 5, 32, 33 };
	const struct path_way *way = &path_ways[_i];
	bool alone = way->path == &path_cached;
	struct errors total = { 0 };

	for (int i = 0; i < 4; i++) {
		int C = chunks[i], max_len = 4 * C + 2;
		const int lengths[] = {
			0, 1, C - 1, C, C + 1, 2 * C - 1, 2 * C, 2 * C + 1, 3 * C - 1, 3 * C,
			3 * C + 1, 4 * C - 1, 4 * C, 4 * C + 1, max_len,
		};
		int count = sizeof lengths / sizeof lengths[0], slots = alone ? 1 : count;
		struct path_case c = { .slots = slots, .heads = 2, .kv_heads = alone ? 2 : 1,
				       .head_dim = path_head_dim(way->path, way->rung, 19),
				       .rung = way->rung, .max_len = max_len, .chunk = C,
				       .warps = 1 + i % 2, .graph = way->graph };

		path_case_fill(&c);
		for (int from = 0; from < count; from += slots) {
			memcpy(c.lengths, lengths + from, (size_t)slots * sizeof(int));
			check_case(way->path, &c, &total);
		}
		path_case_free(&c);
	}
	check_rms(&total, way->path->name);
}
END_TEST

/* All scores are -inf, so no key has any weight, however many threads or chunks there are. */
START_TEST(keys_of_no_weight_give_zeros)
{
	static const int lengths[] = { 1, 5, 8, 40 };

	for (int i = 0; i < 4; i++) {
		int D = path_head_dim(path_ways[_i].path, path_ways[_i].rung, 8);
		struct path_case c = { .slots = 1, .heads = 2, .kv_heads = 2, .head_dim = D,
				       .max_len = 40, .chunk = 16, .lengths = { lengths[i] },
				       .graph = path_ways[_i].graph,
				       .rung = path_ways[_i].rung };
		float *out;

		path_case_fill(&c);
		for (int d = 0; d < 2 * D; d++)
			c.q[d] = 1e30f;
		for (int d = 0; d < 2 * 40 * D; d++)
			c.k[d] = -1e30f;
		out = path_run(path_ways[_i].path, &c, 0);
		for (int d = 0; d < 2 * D; d++)
			ck_assert_msg(out[d] == 0.0f, "%s, %d keys: element %d is %g",
				      path_ways[_i].path->name, lengths[i], d, (double)out[d]);
		free(out);
		path_case_free(&c);
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("path_accuracy");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, random_shapes_are_accurate, 0, PATH_WAYS);
	tcase_add_loop_test(tests, every_chunk_boundary, 0, PATH_WAYS);
	tcase_add_loop_test(tests, keys_of_no_weight_give_zeros, 0, PATH_WAYS);
	return run_suite("path_accuracy", tests);
}
