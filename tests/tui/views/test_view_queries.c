/* test_view_queries.c - checks that the work of screens and steps does not grow with the trace.
 *
 * Visits the same places in a short run and in one eight times as long, and compares the number of
 * steps of SQLite's virtual machine, so that nothing is timed. A query without an index, or one
 * that reads a run to its end, takes more steps in the long run.
 */
#include "config.h"

#include "tests/recording.h"

#include "traces/store/store_index.h"
#include "traces/store/store_internal.h"
#include "tui/viewer/viewer_walk.h"
#include "tui/views/view_list.h"

enum { SHORT = 12, LONG = 96 };

/* Places in the middle of the short run: in a launch with chunks, and in its reduction. */
static const char *const places[] = { "L18", "L18.b1", "L18.b1.w0.l0.p1", "L19", "L19.b2", "s4" };

struct trace {
	struct store *store;
	int64_t steps;                  /* of SQLite's virtual machine, total */
	int64_t max_steps;              /* largest number of steps of one statement */
	char statement[400];            /* beginning of that statement */
};

static struct trace traces[2];

static int count_steps(unsigned event, void *context, void *statement, void *unused)
{
	struct trace *t = context;
	int64_t steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);

	(void)event;
	(void)unused;
	t->steps += steps;
	if (steps > t->max_steps) {
		t->max_steps = steps;
		snprintf(t->statement, sizeof t->statement, "%s", sqlite3_sql(statement));
	}
	return 0;
}

static void record(struct trace *t, int steps)
{
	const struct attention_shape shape = {
		.slots = 1, .heads = REC_HEADS, .kv_heads = REC_KV_HEADS, .head_dim = REC_D,
		.max_len = LONG, .chunk = REC_CHUNK, .scale = attention_scale(REC_D),
	};

	t->store = new_store();
	recording_make(t->store, &(struct recording_options){
		.level = LEVEL_POINTS, .shape = &shape, .steps = steps }, NULL);
	/* A second run to compare with. */
	recording_make(t->store, &(struct recording_options){
		.level = LEVEL_POINTS, .shape = &shape, .steps = steps, .seed = 1 }, NULL);
	OK(store_index_views(t->store));
	/* Built once per run, then read by place. */
	OK(store_index_kv(t->store));
	OK(store_index_kernels(t->store));
	ck_assert_int_eq(sqlite3_trace_v2(store_db(t->store), SQLITE_TRACE_PROFILE, count_steps,
					  t), SQLITE_OK);
}

static void open_traces(void)
{
	record(&traces[0], SHORT);
	record(&traces[1], LONG);
}

static void close_traces(void)
{
	OK(store_close(traces[0].store));
	OK(store_close(traces[1].store));
}

static struct view_context context_of(struct trace *t, const char *at)
{
	struct view_context c = { .store = t->store, .run = 1 };

	c.at = address_none;
	if (*at)
		OK(address_parse("test", at, &c.at));
	t->steps = t->max_steps = 0;
	return c;
}

/* Allows for small differences, such as deeper B-trees. The map of the KV cache reads every
 * position up to the longest sequence, eight times as many in the long run, so it may take three
 * times as many steps. */
static void assert_bounded(const char *what, const char *at)
{
	int64_t few = traces[0].steps, many = traces[1].steps;
	int64_t more = strcmp(what, "kv") == 0 ? 2 * few : few / 2 + 200;

	ck_assert_int_gt(few, 0);
	ck_assert_msg(many <= few + more,
		      "%s at %s: %lld steps of SQLite's machine in a run of %d steps, %lld in one"
		      " of %d, %lld of them for: %s", what, at, (long long)few, SHORT,
		      (long long)many, LONG, (long long)traces[1].max_steps, traces[1].statement);
}

static bool at_once(void *unused)
{
	(void)unused;
	return true;
}

/* Draws a screen. The search for the first difference, which may take long, is stopped at once.
 */
static void draw(struct trace *t, const struct view *view, const char *at)
{
	struct view_context c = context_of(t, at);
	struct view_scan scan = { .stop = at_once };

	c.scan = &scan;
	c.out = display_create(NULL, &c.at);
	OK(view->draw(&c));
	display_finish(c.out);
	ck_assert_uint_gt(display_count(c.out), 1);
	display_free(c.out);
}

/* Views that show a whole run are left out, because they have to read all of it. */
START_TEST(screens_read_what_they_show)
{
	for (int v = 0; view_table[v]; v++)
		for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
			if (view_table[v]->whole)
				continue;
			draw(&traces[0], view_table[v], places[p]);
			draw(&traces[1], view_table[v], places[p]);
			assert_bounded(view_table[v]->name, places[p]);
		}
}
END_TEST

static void walk(struct trace *t, enum walk_grain grain, int direction, const char *from)
{
	struct view_context c = context_of(t, from);
	struct address at = c.at;
	bool moved;

	OK(walk_step(&c, grain, direction, &at, &moved));
}

START_TEST(steps_read_their_neighbours)
{
	for (int grain = WALK_STEP; grain <= WALK_POINT; grain++)
		for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
			for (int direction = -1; direction <= 1; direction += 2) {
				char what[32];

				walk(&traces[0], (enum walk_grain)grain, direction, places[p]);
				walk(&traces[1], (enum walk_grain)grain, direction, places[p]);
				snprintf(what, sizeof what, "grain %d, %d", grain, direction);
				assert_bounded(what, places[p]);
			}
}
END_TEST

START_TEST(steps_to_rows_read_their_neighbours)
{
	static const char *const tables[] = { "v_partial", "v_reduce", "v_point" };

	for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++)
		for (int side = 0; side < 2; side++) {
			struct view_context c = context_of(&traces[side], "L18.b1");
			struct address at = c.at;
			bool moved;

			OK(walk_to_rows(&c, tables[table], &at, &moved));
			OK(walk_rows(&c, tables[table], 1, &at, &moved));
			OK(walk_rows(&c, tables[table], -1, &at, &moved));
			if (side == 1)
				assert_bounded(tables[table], "L18.b1");
		}
}
END_TEST

/* Repeats the launches of the first run, as if sequence after sequence were decoded into the same
 * positions of the cache. */
static const char repeat[] =
	"CREATE TEMP TABLE times AS SELECT n, (SELECT max(op) + 1 FROM t_op) AS ops,"
	" (SELECT max(launch) + 1 FROM t_launch) AS launches, (SELECT max(step) + 1 FROM t_step)"
	" AS steps FROM t_byte WHERE n BETWEEN 1 AND 40;"
	"INSERT INTO t_step SELECT run, step + n * steps, first_op + n * ops, last_op + n * ops"
	" FROM times CROSS JOIN t_step WHERE run = 1;"
	"INSERT INTO t_op SELECT run, op + n * ops, kind, step + n * steps, stream, ordinal, code,"
	" start_us,"
	" duration_us, buffer, offset, bytes, from_buffer, from_offset, pattern, object, data,"
	" launch + n * launches, call, layer FROM times CROSS JOIN t_op WHERE run = 1;"
	"INSERT INTO t_launch SELECT run, launch + n * launches, op + n * ops, threads"
	" FROM times CROSS JOIN t_launch WHERE run = 1;"
	"INSERT INTO t_kv SELECT run, op + n * ops, tensor, slot, position, kv_head,"
	" layer, buffer, offset, bytes, source_op, source_offset, more"
	" FROM times CROSS JOIN t_kv WHERE run = 1";

START_TEST(overwritten_rows_are_not_read)
{
	struct trace again = { 0 };
	static const char *const ends[] = { "", "L18" };

	record(&again, SHORT);
	OK(store_run_sql(again.store, repeat));
	/* Remove the indexes that were built before the repetition. */
	OK(store_run_sql(again.store, "DELETE FROM w_kv; DELETE FROM w_kv_load;"
			 "DELETE FROM w_kv_place;"
			 "DROP TABLE temp.w_kernel"));
	again.store->walks_kv = false;
	OK(store_index_kv(again.store));
	again.steps = 0;
	OK(store_index_kernels(again.store));
	ck_assert_int_lt(again.steps, 1000);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		draw(&traces[0], &view_kv, ends[i]);
		draw(&again, &view_kv, ends[i]);
		ck_assert_msg(again.steps < 2 * traces[0].steps, "kv at %s: %lld steps of SQLite's"
			      " machine, %lld when 41 times as much was written, %lld of them for:"
			      " %s", ends[i], (long long)traces[0].steps, (long long)again.steps,
			      (long long)again.max_steps, again.statement);
	}
	OK(store_close(again.store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("queries");

	tcase_add_unchecked_fixture(tests, open_traces, close_traces);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, screens_read_what_they_show);
	tcase_add_test(tests, steps_read_their_neighbours);
	tcase_add_test(tests, steps_to_rows_read_their_neighbours);
	tcase_add_test(tests, overwritten_rows_are_not_read);
	return run_suite("view_queries", tests);
}
