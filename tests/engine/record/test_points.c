/* test_points.c - the named points of prefill and of the merge of warps, compared with C.
 *
 * test_recorder.c checks which points a recording keeps.
 */
#include "config.h"

#include "tests/recording.h"

#include "engine/attention/prefill.h"
#include "engine/attention/path_table.h"
#include "kernels/prefill_rule.h"

/* The longest row of points in these tests. */
enum { MAX_POINTS = 16 };

struct points {
	int count;
	float value[MAX_POINTS][3];
};

/* The points of one thread of a launch, by name. */
static struct points points_of(struct store *store, int64_t launch, int64_t block, int warp,
			       int lane, const char *name)
{
	struct points points = { 0 };
	sqlite3_stmt *rows;

	ck_assert_int_eq(sqlite3_prepare_v2(store_db(store), "SELECT v0, v1, v2 FROM v_point"
					    " WHERE run = 1 AND launch = ?1 AND block = ?2"
					    " AND warp = ?3 AND lane = ?4 AND name = ?5"
					    " ORDER BY sequence", -1, &rows, NULL), SQLITE_OK);
	sqlite3_bind_int64(rows, 1, launch);
	sqlite3_bind_int64(rows, 2, block);
	sqlite3_bind_int(rows, 3, warp);
	sqlite3_bind_int(rows, 4, lane);
	sqlite3_bind_text(rows, 5, name, -1, SQLITE_STATIC);
	while (sqlite3_step(rows) == SQLITE_ROW) {
		ck_assert_int_lt(points.count, MAX_POINTS);
		for (int i = 0; i < 3; i++)
			points.value[points.count][i] = (float)sqlite3_column_double(rows, i);
		points.count++;
	}
	sqlite3_finalize(rows);
	return points;
}

static void near(float got, double expected, const char *what, int64_t row, int n)
{
	ck_assert_msg(fabs(got - expected) <= 1e-5 * (1.0 + fabs(expected)),
		      "%s %d of row %d is %.9g, not %.9g", what, n, (int)row, got, expected);
}

/* --- prefill --- */

static double score_of(const struct prefill *p, const float *q, const float *k, int head, int row,
		       int key)
{
	const float *a = q + ((size_t)head * (size_t)p->queries + (size_t)row)
		* (size_t)p->head_dim;
	const float *b = k + ((size_t)(head * p->kv_heads / p->heads) * (size_t)p->keys
			      + (size_t)key) * (size_t)p->head_dim;
	double sum = 0.0;

	for (int d = 0; d < p->head_dim; d++)
		sum += (double)a[d] * b[d];
	return sum * p->scale;
}

/* The points of a query row that sees the first `visible` keys. */
static void check_row(const struct points *points, const struct prefill *p, const float *q,
		      const float *k, int head, int row, int visible)
{
	int tile = p->tiled ? PREFILL_KEYS(p->head_dim) : 32;
	double max = -INFINITY, sum = 0.0;

	ck_assert_msg(points->count == (visible + tile - 1) / tile,
		      "row %d sees %d keys, and has %d points", row, visible, points->count);
	for (int n = 0; n < points->count; n++) {
		int end = tile * (n + 1) < visible ? tile * (n + 1) : visible;
		double before = max;

		for (int key = tile * n; key < end; key++)
			max = fmax(max, score_of(p, q, k, head, row, key));
		sum *= exp(before - max);
		for (int key = tile * n; key < end; key++)
			sum += exp(score_of(p, q, k, head, row, key) - max);
		near(points->value[n][0], max, "max", row, n);
		near(points->value[n][1], exp(before - max), "rescale", row, n);
		near(points->value[n][2], sum, "sum", row, n);
	}
}

static int visible_keys(const struct prefill *p, int row)
{
	int seen = p->mask == MASK_NONE ? p->keys
		: p->mask == MASK_TOP_LEFT ? row + 1 : row + 1 + p->keys - p->queries;

	return seen < 0 ? 0 : seen < p->keys ? seen : p->keys;
}

/* The block of a head that has the row, and the thread that publishes its points. `threads` of
 * attention_prefill share a row. */
static void publisher(const struct prefill *p, int threads, int row, int *block, int *thread)
{
	int rows = p->tiled ? PREFILL_ROWS(p->head_dim) : 128 / threads;

	*block = row / rows;
	if (!p->tiled) {
		*thread = row % rows * threads;
		return;
	}
	*block = (p->queries + rows - 1) / rows - 1 - *block;
	*thread = row % rows / 8 * PREFILL_LANES(p->head_dim) + row % 8;
}

static void check_prefill(const struct prefill *p, int threads)
{
	size_t q_count = (size_t)(p->heads * p->queries * p->head_dim);
	size_t k_count = (size_t)(p->kv_heads * p->keys * p->head_dim);
	size_t v_count = (size_t)(p->kv_heads * p->keys * p->value_dim);
	uint32_t random = 5;
	float *q = random_values(&random, q_count), *k = random_values(&random, k_count);
	float *v = random_values(&random, v_count);
	float *out = random_values(&random, (size_t)(p->heads * p->queries * p->value_dim));
	struct store *store = new_store();
	struct device *device = recording_open(store, &(struct recording_options){
		.level = LEVEL_POINTS });
	int seeing = 0;

	OK(prefill_run(device, p, q, k, v, out));
	OK(recorder_finish(device, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT dropped FROM v_launch"), 0);
	for (int head = 0; head < p->heads; head++) {
		for (int row = 0; row < p->queries; row++) {
			struct points points;
			int block, thread;

			publisher(p, threads, row, &block, &thread);
			points = points_of(store, 0, head + (int64_t)block * p->heads, thread / 32,
					   thread % 32, "softmax");
			check_row(&points, p, q, k, head, row, visible_keys(p, row));
			seeing += visible_keys(p, row) > 0;
		}
	}
	/* Only one thread of a row has any. */
	ck_assert_int_eq(query(store, "SELECT count(DISTINCT block || '.' || warp || '.' || lane)"
			       " FROM v_point"), seeing);
	OK(store_close(store));
	free(q);
	free(k);
	free(v);
	free(out);
}

START_TEST(prefill_has_a_point_for_each_tile_of_each_row)
{
	struct prefill p = {
		.heads = 2, .kv_heads = 1, .queries = 70, .keys = 75, .head_dim = 20,
		.value_dim = 12, .stride = 75, .scale = 0.7f, .layer = -1,
	};

	for (p.mask = MASK_NONE; p.mask <= MASK_BOTTOM_RIGHT; p.mask++)
		check_prefill(&p, 2);
	p.mask = MASK_BOTTOM_RIGHT;
	p.head_dim = 100;
	check_prefill(&p, 4);
	p.value_dim = 200;
	check_prefill(&p, 8);
	p.keys = p.stride = 40;         /* the first rows see no key */
	check_prefill(&p, 8);
}
END_TEST

START_TEST(tiled_prefill_has_a_point_for_each_tile_of_each_row)
{
	static const int dims[] = { 64, 80, 96, 128, 256 };
	struct prefill p = {
		.heads = 2, .kv_heads = 1, .queries = 140, .keys = 150, .stride = 150,
		.scale = 0.7f, .layer = -1, .tiled = true,
	};

	p.head_dim = p.value_dim = dims[_i];
	for (p.mask = MASK_NONE; p.mask <= MASK_BOTTOM_RIGHT; p.mask++)
		check_prefill(&p, 0);
	p.mask = MASK_BOTTOM_RIGHT;
	p.keys = p.stride = 40;         /* the first rows see no key */
	check_prefill(&p, 0);
}
END_TEST

/* --- the merge of warps --- */

/* What lane 0 of each warp had at its end: max and sum. A warp without keys has none. */
static struct points ends_of(struct store *store, int64_t launch, int64_t block, int warps)
{
	struct points ends = { .count = warps };

	for (int w = 0; w < warps; w++) {
		struct points own = points_of(store, launch, block, w, 0, "softmax");

		ends.value[w][0] = own.count ? own.value[own.count - 1][0] : -INFINITY;
		ends.value[w][1] = own.count ? own.value[own.count - 1][2] : 0.0f;
	}
	return ends;
}

/* The merge of a block, whose result is max, sum and the first accumulator. */
static void check_merge(struct store *store, int64_t launch, int64_t block, int warps, float sum,
			float acc0)
{
	struct points merge = points_of(store, launch, block, 0, 0, "reduce");
	struct points ends = ends_of(store, launch, block, warps);
	double max = -INFINITY, so_far = 0.0;

	ck_assert_int_eq(merge.count, warps);
	for (int w = 0; w < warps; w++)
		max = fmax(max, ends.value[w][0]);
	for (int w = 0; w < warps; w++) {
		double factor = exp(ends.value[w][0] - max);

		so_far += factor * ends.value[w][1];
		near(merge.value[w][0], factor, "factor", block, w);
		near(merge.value[w][1], so_far, "sum", block, w);
	}
	ck_assert_msg(merge.value[warps - 1][1] == sum, "sum %.9g, not %.9g",
		      merge.value[warps - 1][1], sum);
	ck_assert_msg(merge.value[warps - 1][2] == acc0, "acc0 %.9g, not %.9g",
		      merge.value[warps - 1][2], acc0);
}

static float float_at(struct store *store, int64_t data, int64_t offset)
{
	size_t count;
	void *bytes;
	float value;

	OK(store_data(store, data, &bytes, &count));
	ck_assert_uint_le((size_t)offset + sizeof value, count);
	memcpy(&value, (const char *)bytes + offset, sizeof value);
	free(bytes);
	return value;
}

static const struct attention_shape shape = {
	.slots = 1, .heads = REC_HEADS, .kv_heads = REC_KV_HEADS, .head_dim = REC_D,
	.max_len = 90, .chunk = 70, .scale = 0.7f, .warps = 2,
};

/* Two warps share a chunk; the end of the merge is the chunk's partial. */
START_TEST(two_warps_merge_into_the_partial)
{
	struct recording_options options = {
		.level = LEVEL_POINTS, .shape = &shape, .prompt = 80, .steps = 2,
	};
	struct store *store = new_store();
	sqlite3_stmt *rows;
	int partials = 0;

	recording_make(store, &options, NULL);
	ck_assert_int_eq(query(store, "SELECT sum(dropped) FROM v_launch"), 0);
	ck_assert_int_eq(sqlite3_prepare_v2(store_db(store), "SELECT launch, head + 4 * chunk, sum,"
					    " acc_data, acc_offset FROM v_partial WHERE NOT empty",
					    -1, &rows, NULL), SQLITE_OK);
	for (; sqlite3_step(rows) == SQLITE_ROW; partials++)
		check_merge(store, sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1), 2,
			    (float)sqlite3_column_double(rows, 2),
			    float_at(store, sqlite3_column_int64(rows, 3),
				     sqlite3_column_int64(rows, 4)));
	sqlite3_finalize(rows);
	ck_assert_int_eq(partials, 2 * REC_LAYERS * REC_HEADS * 2);
	OK(store_close(store));
}
END_TEST

/* Four warps share a row; the last ones have no keys at first. The output is acc / sum. */
START_TEST(four_warps_merge_into_the_output)
{
	struct recording_options options = {
		.level = LEVEL_POINTS, .shape = &shape, .steps = 6,
		.path = path_find("incremental-multiwarp"),
	};
	struct store *store = new_store();
	sqlite3_stmt *rows;
	int launches = 0;

	recording_make(store, &options, NULL);
	ck_assert_int_eq(query(store, "SELECT sum(dropped) FROM v_launch"), 0);
	ck_assert_int_eq(sqlite3_prepare_v2(store_db(store), "SELECT l.launch, d.data"
					    " FROM v_launch l JOIN v_digest d USING (run, op)"
					    " WHERE after_step = 0 AND kernel GLOB 'attention_*'",
					    -1, &rows, NULL), SQLITE_OK);
	for (; sqlite3_step(rows) == SQLITE_ROW; launches++) {
		int64_t launch = sqlite3_column_int64(rows, 0);

		for (int head = 0; head < REC_HEADS; head++) {
			struct points merge = points_of(store, launch, head, 0, 0, "reduce");
			float out = float_at(store, sqlite3_column_int64(rows, 1),
					     head * REC_D * (int64_t)sizeof(float));

			ck_assert_int_eq(merge.count, 4);
			check_merge(store, launch, head, 4, merge.value[3][1], merge.value[3][2]);
			ck_assert_msg(merge.value[3][2] / merge.value[3][1] == out,
				      "acc0 / sum is %.9g, not %.9g",
				      merge.value[3][2] / merge.value[3][1], out);
		}
	}
	sqlite3_finalize(rows);
	ck_assert_int_eq(launches, 6 * REC_LAYERS);
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("points");

	tcase_add_test(tests, prefill_has_a_point_for_each_tile_of_each_row);
	tcase_add_loop_test(tests, tiled_prefill_has_a_point_for_each_tile_of_each_row, 0, 5);
	tcase_add_test(tests, two_warps_merge_into_the_partial);
	tcase_add_test(tests, four_warps_merge_into_the_output);
	tcase_set_timeout(tests, 60);
	return run_suite("points", tests);
}
