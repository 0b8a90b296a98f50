/* test_ladder.c - a sequence has the same bits alone, in any batch, at any order of blocks and from
 * any graph, on every rung of the ladder; and the accuracy of batches with several splits.
 *
 * Lengths follow from kernels/split_rule.h. tests/gpu/ladder_rows.c does the same with longer
 * sequences on a GPU.
 */
#include "config.h"

#include "tests/support.h"

#include "engine/attention/ladder_shape.h"
#include "tests/accuracy.h"
#include "tests/ladder_rig.h"
#include "tests/reference.h"

/* No keys, one, and both sides of the end of a split, of one unit and of two. */
static const int lengths[] = { SPLITS * SPLIT_UNIT + 1, 0, SPLIT_UNIT, 1, SPLIT_UNIT + 1 };
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* Rungs, and last the form of rung 10 without clusters, which sequences with more room have. */
enum { FORMS = RIG_RUNGS + 1, WITHOUT_CLUSTERS = RIG_RUNGS };

static void set_form(struct rig_batch *b, int form)
{
	b->rung = form < RIG_RUNGS ? rig_rungs[form] : 10;
	b->capacity = form < RIG_RUNGS ? 0 : LADDER_CLUSTER_LEN + 1;
}

/* All groups with one head size each, and all head sizes. */
enum { SHAPES = RIG_GROUPS + RIG_DIMS };

static struct rig_batch shape_of(int rung, int number)
{
	struct rig_batch b = { .rung = rung, .kv_heads = 1, .slots = LENGTHS };

	if (number < RIG_GROUPS) {
		b.group = rig_groups[number];
		b.head_dim = rig_dims[number % RIG_DIMS];
	} else {
		b.group = 2;
		b.head_dim = rig_dims[number - RIG_GROUPS];
	}
	if (b.group == 1)
		b.kv_heads = 2;
	for (int slot = 0; slot < LENGTHS; slot++) {
		b.lengths[slot] = lengths[slot];
		b.sequences[slot] = slot;
	}
	return b;
}

static void expect_equal(const struct rig_batch *b, const float *wanted, const float *got,
			 size_t count, const char *what)
{
	char name[128];

	ck_assert_msg(rig_differences(wanted, got, count) == 0, "%s: %s",
		      rig_name(b, name, sizeof name), what);
}

/* Runs the batch in another order of slots, and some rows alone. */
static void check_rows(const struct rig_batch *b, const float *all, uint64_t seed)
{
	struct rig *rig = rig_open("sim", seed);
	struct rig_batch turned = *b;
	size_t row = rig_row(b);
	struct rig_attention r;
	const float *out;

	for (int slot = 0; slot < b->slots; slot++) {
		turned.lengths[slot] = b->lengths[(slot + 2) % b->slots];
		turned.sequences[slot] = b->sequences[(slot + 2) % b->slots];
	}
	turned.capacity = rig_longest(b) + SPLIT_UNIT / 2;
	r = rig_attend(rig, &turned);
	out = rig_step(&r);
	for (int slot = 0; slot < b->slots; slot++)
		expect_equal(b, all + (size_t)((slot + 2) % b->slots) * row,
			     out + (size_t)slot * row, row, "in another batch");
	rig_free(&r);
	for (int slot = 0; slot < b->slots; slot++) {
		struct rig_batch alone = rig_alone(b, slot);

		r = rig_attend(rig, &alone);
		expect_equal(b, all + (size_t)slot * row, rig_step(&r), row, "alone");
		rig_free(&r);
	}
	rig_close(rig);
}

/* The output on the simulator, which the caller frees. */
static float *output_of(const struct rig_batch *b)
{
	struct rig *rig = rig_open("sim", 0);
	struct rig_attention r = rig_attend(rig, b);
	size_t count = (size_t)b->slots * rig_row(b);
	float *out = xcalloc(count, sizeof *out);

	memcpy(out, rig_step(&r), count * sizeof *out);
	rig_free(&r);
	rig_close(rig);
	return out;
}

START_TEST(a_row_has_the_same_bits_in_any_batch)
{
	int rung = rig_rungs[_i / SHAPES], number = _i % SHAPES;
	struct rig_batch b = shape_of(rung, number);
	float *all = output_of(&b);

	check_rows(&b, all, (uint64_t)number + 1);
	free(all);
}
END_TEST

/* From 5 up, rungs have the same partials and outputs, whatever the scores are. */
START_TEST(rungs_have_the_same_bits_and_partials)
{
	struct rig_batch b = shape_of(5, _i * 3 % SHAPES);
	struct rig *rig = rig_open("sim", 0);
	struct rig_attention first;
	float *partials;
	size_t count;

	b.scores = (enum rig_scores)_i;
	first = rig_attend(rig, &b);
	rig_step(&first);
	partials = rig_partials(&first, &count);
	for (int i = 2; i < FORMS; i++) {
		struct rig_attention r;
		float *theirs;
		size_t same;

		set_form(&b, i);
		r = rig_attend(rig, &b);
		expect_equal(&b, first.out, rig_step(&r), (size_t)b.slots * rig_row(&b),
			     "not the output of rung 5");
		theirs = rig_partials(&r, &same);
		ck_assert_uint_eq(same, count);
		for (size_t at = 0; at < count; at += (size_t)b.head_dim + 2) {
			/* Splits without keys: rungs from 9 up leave them as they were. */
			if (partials[at + (size_t)b.head_dim] == -INFINITY)
				continue;
			expect_equal(&b, partials + at, theirs + at, (size_t)b.head_dim + 2,
				     "not the partials of rung 5");
		}
		free(theirs);
		rig_free(&r);
	}
	free(partials);
	rig_free(&first);
	rig_close(rig);
}
END_TEST

/* --- clusters --- */

/* Two KV heads, or three sequences, with 1, 2 and up to 16 splits. In a block are none, one or two,
 * which hold whole steps of the warps or not. */
static struct rig_batch batch_of_clusters(int number)
{
	struct rig_batch b = shape_of(5, number % SHAPES);

	b.kv_heads = number < SHAPES ? 1 : 2;
	b.slots = number < SHAPES ? 3 : 1;
	b.lengths[0] = SPLIT_UNIT * (CLUSTER_BLOCKS + number % SHAPES) - number;
	b.lengths[1] = number % 3 * SPLIT_UNIT + 1;
	b.lengths[2] = number % 2 ? 0 : 3 * SPLITS / 2 * SPLIT_UNIT - 7;
	return b;
}

/* The same shapes without clusters are in rungs_have_the_same_bits_and_partials. */
START_TEST(clusters_have_the_bits_of_rung_5)
{
	struct rig_batch b = batch_of_clusters(_i);
	float *wanted = output_of(&b);

	b.rung = 10;
	for (uint64_t seed = 0; seed < 2; seed++) {
		struct rig *rig = rig_open("sim", seed);
		struct rig_attention r = rig_attend(rig, &b);
		struct device_info info;

		OK(device_info(rig->device, &info));
		/* The shared memory of one shape is too small for partials and tiles. */
		ck_assert((ladder_form(&r.attention->shape, &info) == LADDER_CLUSTERS)
			  == (b.head_dim < 256 || b.group < 16));
		expect_equal(&b, wanted, rig_step(&r), (size_t)b.slots * rig_row(&b),
			     "not the output of rung 5");
		rig_free(&r);
		rig_close(rig);
	}
	free(wanted);
}
END_TEST

START_TEST(shapes_that_suit_clusters_have_them)
{
	static const struct {
		const char *what;
		int rung, slots, kv_heads, group, head_dim, max_len, compute;
		bool clusters;
	} cases[] = {
		{ "one sequence", 10, 1, 8, 4, 128, LADDER_CLUSTER_LEN, 9, true },
		{ "by the table", 0, 1, 8, 4, 128, 4096, 10, true },
		{ "a short one, by the table", 0, 1, 8, 4, 128, 1024, 9, true },
		{ "a short one with small heads, by the table", 0, 1, 8, 4, 96, 1024, 9, false },
		{ "a short one with many query heads, by the table", 0, 1, 8, 8, 128, 1024, 9,
		  true },
		{ "eight sequences", 10, 8, 1, 8, 128, 1024, 9, true },
		{ "one long sequence", 10, 1, 8, 4, 128, LADDER_CLUSTER_LEN + 1, 9, true },
		{ "one long sequence, by the table", 0, 1, 6, 4, 128, 16384, 9, true },
		{ "a longer one, by the table", 0, 1, 6, 4, 128, 16385, 9, false },
		{ "one long sequence on few blocks", 10, 1, 5, 4, 128, LADDER_CLUSTER_LEN + 1, 9,
		  false },
		{ "two long sequences", 10, 2, 4, 4, 128, LADDER_CLUSTER_LEN + 1, 9, false },
		{ "two long sequences, by the table", 0, 2, 4, 4, 128, 4096, 9, false },
		{ "a short one with larger heads, by the table", 0, 1, 8, 4, 256, 1024, 9, true },
		{ "too many clusters", 10, 1, 9, 4, 128, 1024, 9, false },
		{ "too many sequences", 10, 2, 8, 4, 128, 1024, 9, false },
		{ "too large rows", 10, 1, 8, 16, 256, 1024, 9, false },
		{ "another rung", 9, 1, 8, 4, 128, 1024, 9, false },
		{ "many query heads, by the table", 0, 1, 8, 9, 128, 1024, 9, true },
		{ "a longer one with many query heads, by the table", 0, 1, 8, 9, 128, 1025, 9,
		  false },
		{ "an older GPU", 10, 1, 8, 4, 128, 1024, 8, false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct attention_shape shape = {
			.layers = 1, .slots = cases[i].slots, .kv_heads = cases[i].kv_heads,
			.heads = cases[i].kv_heads * cases[i].group,
			.head_dim = cases[i].head_dim, .max_len = cases[i].max_len,
			.rung = cases[i].rung,
		};
		const struct device_info info = {
			.compute_major = cases[i].compute, .multiprocessors = 132,
		};

		ck_assert_msg((ladder_form(&shape, &info) == LADDER_CLUSTERS) == cases[i].clusters,
			      "%s", cases[i].what);
	}
}
END_TEST

/* A graph is captured or built once, and replayed for lengths that grow, shrink and end. */
START_TEST(a_graph_replays_at_any_length)
{
	static const int steps[][LENGTHS] = {
		{ 1, 1, 1, 1, 1 },
		{ SPLITS * SPLIT_UNIT + 1, 0, SPLIT_UNIT, 1, 9 },
		{ 0, 0, 0, 0, 0 },
		{ SPLIT_UNIT + 1, 3, 0, SPLIT_UNIT, SPLITS * SPLIT_UNIT },
		{ SPLIT_UNIT + 1, 3, 0, SPLIT_UNIT, SPLITS * SPLIT_UNIT },
	};
	struct rig_batch b = shape_of(0, _i % SHAPES);
	struct rig *rig = rig_open("sim", (uint64_t)_i);
	struct rig_attention eager, graph;

	set_form(&b, _i / 2);
	for (int slot = 0; slot < LENGTHS; slot++)
		b.lengths[slot] = SPLITS * SPLIT_UNIT + 1;
	eager = rig_attend(rig, &b);
	b.graph = _i % 2 ? GRAPH_CAPTURE : GRAPH_MANUAL;
	graph = rig_attend(rig, &b);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		for (int slot = 0; slot < LENGTHS; slot++) {
			rig_set_length(&eager, slot, steps[i][slot]);
			rig_set_length(&graph, slot, steps[i][slot]);
		}
		expect_equal(&b, rig_step(&eager), rig_step(&graph),
			     (size_t)b.slots * rig_row(&b), "from a graph");
	}
	rig_free(&eager);
	rig_free(&graph);
	rig_close(rig);
}
END_TEST

/* --- accuracy --- */

/* All keys or values of layer 0 as floats, which the caller frees. */
static float *download(struct device *device, const struct buffer *from)
{
	float *values = xcalloc(1, from->bytes);

	OK(device_download(device, NULL, from, 0, values, from->bytes));
	return values;
}

static void add_rows(struct rig_attention *r, const float *k, const float *v, struct errors *e,
		     const char *what)
{
	const struct rig_batch *b = &r->batch;
	size_t D = (size_t)b->head_dim, heads = (size_t)(b->kv_heads * b->group);
	double exact[256];
	float plain[256];

	for (size_t row = 0; row < (size_t)b->slots * heads; row++) {
		int keys = b->lengths[row / heads];
		size_t kv_head = row / (size_t)b->group;
		size_t at = kv_head * (size_t)b->capacity * D;

		reference_row(r->q + row * D, k + at, v + at, keys, D, D,
			      attention_scale(b->head_dim), exact, plain);
		check_hull(r->out + row * D, v + at, keys, D, what);
		/* With huge scores the last bit of f32 decides which key wins. */
		if (b->scores != RIG_HUGE)
			add_row(e, r->out + row * D, exact, plain, v + at, keys, D);
	}
}

START_TEST(batches_of_several_splits_are_accurate)
{
	struct errors total = { 0 };
	char what[128];

	for (int number = 0; number < SHAPES; number++)
		for (int scores = 0; scores < RIG_INFINITE; scores++) {
			struct rig_batch b = shape_of(rig_rungs[_i], number);
			struct errors e = { 0 };
			struct rig_attention r;
			struct rig *rig;
			float *k, *v;

			if ((number + scores) % 5)
				continue;
			rig = rig_open("sim", 0);
			b.scores = (enum rig_scores)scores;
			r = rig_attend(rig, &b);
			rig_step(&r);
			k = download(rig->device, r.attention->cache->k[0]);
			v = download(rig->device, r.attention->cache->v[0]);
			rig_name(&b, what, sizeof what);
			add_rows(&r, k, v, &e, what);
			check_errors(&total, &e, what);
			free(k);
			free(v);
			rig_free(&r);
			rig_close(rig);
		}
	snprintf(what, sizeof what, "rung %d", rig_rungs[_i]);
	check_rms(&total, what);
}
END_TEST

/* --- small batches, for tests/mutants --- */

/* Attends, and compares with float64. */
static void check_step(struct rig_attention *r, const char *what)
{
	struct device *device = r->rig->device;
	struct errors total = { 0 }, e = { 0 };
	float *k, *v;

	rig_step(r);
	k = download(device, r->attention->cache->k[0]);
	v = download(device, r->attention->cache->v[0]);
	add_rows(r, k, v, &e, what);
	check_errors(&total, &e, what);
	free(k);
	free(v);
}

/* Two steps, the second with other lengths, in several orders of blocks. With a head size of 256 a
 * warp has more tiles in a split than its ring has places. The last sequence has as many splits in
 * both steps, and so takes the tickets of the first again. */
START_TEST(small_batches_are_right)
{
	static const int other[] = { 2, SPLIT_UNIT, SPLIT_UNIT + 9 };
	struct rig_batch b = {
		.head_dim = _i % 2 ? 256 : 64, .group = _i % 2 ? 1 : 3, .kv_heads = 2, .slots = 3,
		.lengths = { 2 * SPLIT_UNIT + 9, 0, 2 * SPLIT_UNIT }, .sequences = { 1, 2, 3 },
	};
	char what[128];

	set_form(&b, _i / 2);
	rig_name(&b, what, sizeof what);
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct rig *rig = rig_open("sim", seed);
		struct rig_attention r = rig_attend(rig, &b);

		check_step(&r, what);
		for (int slot = 0; slot < b.slots; slot++)
			if (b.lengths[slot] > 0)
				rig_set_length(&r, slot, r.batch.lengths[slot] = other[slot]);
		check_step(&r, what);
		rig_free(&r);
		rig_close(rig);
	}
}
END_TEST

/* More splits than blocks: with a plan, a block attends to several, also of different sequences, or
 * to some of the 16 of a KV head. Two steps: the second finds what the first has left. */
START_TEST(long_runs_are_right)
{
	struct rig_batch b = { .rung = 5, .head_dim = 64, .group = 1, .kv_heads = 8, .slots = 24 };
	size_t count = (size_t)b.slots * rig_row(&b);
	float *wanted;

	for (int slot = 0; slot < b.slots; slot++) {
		b.lengths[slot] = slot % 9 == 4 ? SPLITS * SPLIT_UNIT
			: slot * 53 % (3 * SPLIT_UNIT);
		b.sequences[slot] = slot;
	}
	wanted = output_of(&b);
	b.rung = _i % 2 ? 10 : 9;
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct rig *rig = rig_open("sim", seed);
		struct rig_attention r = rig_attend(rig, &b);
		struct device_info info;

		OK(device_info(rig->device, &info));
		ck_assert_int_gt(b.slots * b.kv_heads, info.multiprocessors);
		for (int step = 0; step < 2; step++)
			expect_equal(&b, wanted, rig_step(&r), count, "not the output of rung 5");
		rig_free(&r);
		rig_close(rig);
	}
	free(wanted);
}
END_TEST

/* Whichever block merges, it does so in index order; so does each block of a cluster. */
START_TEST(rung_10_merges_in_index_order)
{
	struct rig_batch b = { .rung = 9, .head_dim = 64, .group = 1, .kv_heads = 2, .slots = 1,
			       .lengths = { SPLITS * SPLIT_UNIT }, .sequences = { 1 } };
	float *wanted = output_of(&b);

	b.rung = 10;
	b.capacity = _i ? LADDER_CLUSTER_LEN + 1 : 0;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct rig *rig = rig_open("sim", seed);
		struct rig_attention r = rig_attend(rig, &b);

		expect_equal(&b, wanted, rig_step(&r), rig_row(&b), "not the output of rung 9");
		rig_free(&r);
		rig_close(rig);
	}
	free(wanted);
}
END_TEST

int main(void)
{
	/* A case for each test that tests/mutants uses: a mutant runs one case. */
	TCase *tests = tcase_create("ladder"), *small = tcase_create("small"),
	      *runs = tcase_create("long_runs"), *tickets = tcase_create("tickets"),
	      *order = tcase_create("merge_order");

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, a_row_has_the_same_bits_in_any_batch, 0,
			    (RIG_RUNGS - 1) * SHAPES);
	tcase_add_loop_test(tests, rungs_have_the_same_bits_and_partials, 0, RIG_SCORES);
	tcase_add_loop_test(tests, clusters_have_the_bits_of_rung_5, 0, 2 * SHAPES);
	tcase_add_test(tests, shapes_that_suit_clusters_have_them);
	tcase_add_loop_test(tests, a_graph_replays_at_any_length, 0, 2 * FORMS);
	tcase_add_loop_test(tests, batches_of_several_splits_are_accurate, 0, RIG_RUNGS);
	tcase_set_timeout(small, 120);
	tcase_add_loop_test(small, small_batches_are_right, 0, 2 * FORMS);
	tcase_set_timeout(runs, 120);
	tcase_add_loop_test(runs, long_runs_are_right, 0, 1);
	tcase_set_timeout(tickets, 120);
	tcase_add_loop_test(tickets, long_runs_are_right, 1, 2);
	tcase_set_timeout(order, 120);
	tcase_add_loop_test(order, rung_10_merges_in_index_order, 0, 2);
	return run_suites("ladder", (TCase *[]){ tests, small, runs, tickets, order }, 5);
}
