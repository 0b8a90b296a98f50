/* test_features.c - what attention is computed with, as a trace has it, and as verify compares it
 * with caches and launches.
 */
#include "config.h"

#include "tests/recording.h"
#include "tests/trace_file.h"

#include "engine/attention/prefill.h"
#include "traces/store/verify.h"

#define ROW \
	"SELECT path || ' ' || coalesce(rung, '-') || ' ' || kv_dtype || ' ' || queries || ' '" \
	" || coalesce(window, '-') || ' ' || coalesce(sinks, '-') || ' '" \
	" || coalesce(softcap, '-') || ' ' || coalesce(page, '-') || ' ' || lse" \
	" FROM v_attention"

/* Small, and possible on every rung of the ladder. */
static struct attention_shape small_shape(void)
{
	return (struct attention_shape){
		.layers = 1, .slots = 1, .heads = 4, .kv_heads = 2, .head_dim = 64, .max_len = 12,
		.chunk = 4, .scale = 0.125f,
	};
}

/* --- the row --- */

/* Creates attention on a recorder, which takes no step. */
static void create(struct device *recorder, const struct path *path,
		   const struct attention_shape *shape)
{
	struct attention *attention;

	OK(attention_create(path, recorder, shape, &attention));
	attention_destroy(attention);
}

START_TEST(paths_without_features)
{
	static const struct path *const paths[] = {
		&path_cached, &path_incremental, &path_flash_decoding, &path_batched,
	};
	struct attention_shape shape = small_shape();
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	char *row;

	shape.kv_heads = 4;             /* cached has no groups */
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		create(recorder, paths[i], &shape);
	OK(recorder_finish(recorder, STATUS_OK));
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		char *sql = xasprintf(ROW " WHERE attention = %zu", i);

		row = xasprintf("%s - f32 1 - - - - 0", paths[i]->name);
		QUERY(store, sql, row);
		free(row);
		free(sql);
	}
	OK(store_close(store));
}
END_TEST

START_TEST(every_feature)
{
	static const int32_t table[] = { 2, 0, 1, 3 };
	struct attention_shape shape = small_shape();
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });

	shape.rung = 9;
	shape.kv_dtype = DTYPE_BF16;
	shape.queries = 3;
	shape.window = 5;
	shape.sinks = 2;
	shape.softcap = 0.75f;
	shape.lse = true;
	shape.pages = (struct kv_pages){ .rows = 3, .pool = 4, .each = 4, .table = table };
	create(recorder, &path_ladder, &shape);
	OK(recorder_finish(recorder, STATUS_OK));
	QUERY(store, ROW, "ladder 9 bf16 3 5 2 0.75 3 1");
	QUERY(store, "SELECT softcap_bits || softcap_kind FROM v_attention", "1061158912num");
	OK(store_close(store));
}
END_TEST

/* The rung that the shape gives, where none is named. */
START_TEST(rung_of_the_shape)
{
	struct attention_shape shape = small_shape();
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });

	shape.rung = -1;
	shape.softcap = -0.0f;          /* none */
	create(recorder, &path_ladder, &shape);
	OK(recorder_finish(recorder, STATUS_OK));
	QUERY(store, "SELECT rung BETWEEN 4 AND 10 AND softcap_kind = 'none' FROM v_attention",
	      "1");
	OK(store_close(store));
}
END_TEST

START_TEST(prefill_of_its_own)
{
	const struct prefill prefill = {
		.heads = 1, .kv_heads = 1, .queries = 3, .keys = 2, .head_dim = 4, .value_dim = 4,
		.stride = 2, .scale = 0.5f, .layer = -1,
	};
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });
	float q[12] = { 1 }, k[8] = { 2 }, v[8] = { 3 }, out[12];

	OK(prefill_run(recorder, &prefill, q, k, v, out));
	OK(recorder_finish(recorder, STATUS_OK));
	QUERY(store, ROW, "prefill - f32 3 - - - - 0");
	OK(store_close(store));
}
END_TEST

START_TEST(without_attention)
{
	struct attention_shape shape = small_shape();
	struct store *store = new_store();
	struct device *recorder = recording_open(store, &(struct recording_options){ 0 });

	shape.slots = 0;
	create(recorder, &path_flash_decoding, &shape);
	shape.slots = 1;
	shape.window = 3;               /* which the path lacks */
	ck_assert_int_eq(attention_create(&path_flash_decoding, recorder, &shape,
					  &(struct attention *){ NULL }), STATUS_USAGE);
	OK(recorder_finish(recorder, STATUS_OK));
	ck_assert_int_eq(query(store, "SELECT count(*) FROM v_attention"), 0);
	OK(store_close(store));
}
END_TEST

/* It is not an operation: windows do not leave it out. */
START_TEST(outside_of_windows)
{
	struct store *store = new_store();

	recording_make(store, &(struct recording_options){ .log_at = "L9..L12", .steps = 4 }, NULL);
	QUERY(store, ROW, "flash-decoding - f32 1 - - - - 0");
	OK(store_close(store));
}
END_TEST

/* --- what determines it --- */

static char wrong_line[512];

static void take_line(void *context, bool wrong, const char *text)
{
	(void)context;
	if (wrong)
		snprintf(wrong_line, sizeof wrong_line, "%s", text);
}

static bool is_good(struct store *store)
{
	struct verify_report report;

	*wrong_line = '\0';
	OK(verify_trace(store, take_line, NULL, &report));
	return report.wrong == 0;
}

static void change(const char *sql)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(T, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql,
		      sqlite3_errmsg(db));
	ck_assert_int_eq(sqlite3_total_changes(db) > 0, true);
	sqlite3_close(db);
}

/* A run that was cut off has no sums, so that only columns are compared. */
static void record_options(void)
{
	struct attention_shape shape = small_shape();
	struct store *store;

	shape.rung = 9;
	shape.window = 5;
	shape.sinks = 2;
	shape.softcap = 0.75f;
	shape.queries = 2;
	OK(store_create(T, &(struct store_options){ .force = true }, &store));
	recording_make(store, &(struct recording_options){
		.path = &path_ladder, .shape = &shape, .steps = 2, .cut = true }, NULL);
	OK(store_close(store));
}

START_TEST(follows_from_launches)
{
	static const struct {
		const char *sql, *named;
	} changes[] = {
		{ "UPDATE t_attention SET kv_dtype = 'f16'", "t_attention.kv_dtype" },
		{ "UPDATE t_attention SET page = 4", "t_attention.page" },
		{ "UPDATE t_attention SET window = 6", "t_attention.window" },
		{ "UPDATE t_attention SET window = NULL", "t_attention.window" },
		{ "UPDATE t_attention SET sinks = NULL", "t_attention.sinks" },
		{ "UPDATE t_attention SET softcap = softcap + 1", "t_attention.softcap" },
		{ "UPDATE t_attention SET queries = 3", "t_attention.queries" },
	};
	struct store *store;

	record_options();
	OK(store_open(T, &store));
	ck_assert_msg(is_good(store), "%s", wrong_line);
	OK(store_close(store));
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		record_options();
		change(changes[i].sql);
		OK(store_open(T, &store));
		ck_assert_msg(!is_good(store) && strstr(wrong_line, changes[i].named), "%s: '%s'",
			      changes[i].sql, wrong_line);
		OK(store_close(store));
	}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("features");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, paths_without_features);
	tcase_add_test(tests, every_feature);
	tcase_add_test(tests, rung_of_the_shape);
	tcase_add_test(tests, prefill_of_its_own);
	tcase_add_test(tests, without_attention);
	tcase_add_test(tests, outside_of_windows);
	tcase_add_test(tests, follows_from_launches);
	return run_suite("features", tests);
}
