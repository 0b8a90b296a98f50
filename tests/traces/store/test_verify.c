/* test_verify.c - changes a small real trace in every way, and verifies it.
 *
 * Works in a temporary directory. SEED=N picks other bits to flip.
 */
#include "config.h"

#include "tests/dump_text.h"
#include "tests/limits.h"
#include "tests/recording.h"
#include "tests/trace_file.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "engine/replay/replay.h"
#include "traces/diff/diff.h"
#include "traces/store/verify.h"

#define WHOLE "whole.twin"
#define FLIPS 2000

/* --- a small trace with rows in every table that is written --- */

static void put_extras(struct store *store, struct device *recorder)
{
	int64_t run = recorder_run(recorder);

	OK(recorder_model(recorder, &(struct row_model){
		.directory = "m", .config = "{\"num_hidden_layers\":2}", .layers = REC_LAYERS,
		.heads = 2, .kv_heads = 1, .head_dim = 8, .max_len = 12, .slots = 1 }));
	OK(recorder_token(recorder, &(struct row_token){ 0, 0, 0, 'a', true, 0 }));
	OK(recorder_token(recorder, &(struct row_token){ 1, 0, 1, 'b', false, bits_of(7.25f) }));
	OK(store_counters(store, run, &(struct row_counters){
		.launch = 0, .kernel = "kv_scatter", .counted = true, .barriers = 3,
		.lines = (const struct row_line_count[]){ { "kernels/kv_scatter.cu", 9, 32 } },
		.line_count = 1 }));
	OK(store_finding(store, run, &(struct row_finding){ .class = "oob", .launch = 1 },
			 "{\"class\":\"oob\"}"));
}

static int64_t record(struct store *store, bool cut)
{
	struct recording_options options = { .level = LEVEL_POINTS, .steps = 2 };
	struct attention_shape shape = recording_shape(&options);
	struct device *recorder;
	int64_t run;

	shape.heads = 2;
	shape.kv_heads = 1;
	shape.head_dim = 8;
	shape.scale = attention_scale(8);
	options.shape = &shape;
	recorder = recording_open(store, &options);
	run = recorder_run(recorder);
	recording_decode(recorder, &options, NULL);
	put_extras(store, recorder);
	if (cut) {
		OK(store_commit(store));
		device_close(recorder);
	} else {
		OK(recorder_finish(recorder, STATUS_OK));
	}
	return run;
}

static void make_trace(const char *path)
{
	struct store *store;

	OK(store_create(path, NULL, &store));
	record(store, false);
	OK(store_close(store));
}

/* Returns how many rows were changed. */
static int change(const char *sql)
{
	int changes;
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(T, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql,
		      sqlite3_errmsg(db));
	changes = sqlite3_total_changes(db);
	sqlite3_close(db);
	return changes;
}

/* --- verifying --- */

struct lines {
	char text[2][4096];             /* warnings, and what is wrong */
};

static void take_line(void *context, bool wrong, const char *text)
{
	struct lines *lines = context;
	size_t used = strlen(lines->text[wrong]);

	snprintf(lines->text[wrong] + used, sizeof lines->text[wrong] - used, "%s\n", text);
}

static struct lines lines;

/* The number of checks that fail; -1: the file is refused. */
static int64_t verify(const char *path, int64_t *warnings)
{
	struct verify_report report;
	struct store *store;
	enum status status;

	lines = (struct lines){ 0 };
	if (store_open(path, &store) != STATUS_OK)
		return -1;
	status = verify_trace(store, take_line, &lines, &report);
	store_close(store);
	if (warnings)
		*warnings = report.warnings;
	return status == STATUS_OK ? report.wrong : -1;
}

static void is_good(const char *path)
{
	int64_t warnings;

	ck_assert_msg(verify(path, &warnings) == 0, "%s: %s", path, lines.text[true]);
	ck_assert_msg(warnings == 0, "%s: %s", path, lines.text[false]);
}

static void is_wrong(const char *what, const char *line)
{
	ck_assert_msg(verify(T, NULL) > 0 && strstr(lines.text[true], line),
		      "%s: expected '%s', got: %s", what, line, lines.text[true]);
}

/* --- changed rows --- */

/* The status of a comparison with the whole trace, DIFFERS for differences. */
static enum status diff_status(void)
{
	const struct diff_options options = { .run_a = 1, .run_b = 1 };
	struct store *a, *b;
	struct diff_report report;
	enum status status;

	OK(store_open(WHOLE, &a));
	OK(store_open(T, &b));
	status = diff_runs(a, b, &options, &report);
	if (status == STATUS_OK && report.differences)
		status = STATUS_DIFFERS;
	diff_report_free(&report);
	store_close(a);
	store_close(b);
	return status;
}

static enum status replay_status(void)
{
	const struct replay_options options = { .device = "sim" };
	struct replay_report report;
	struct store *store;
	enum status status;

	OK(store_open(T, &store));
	status = replay_compare(store, 1, &options, &report);
	if (status == STATUS_OK && report.diff.differences)
		status = STATUS_DIFFERS;
	diff_report_free(&report.diff);
	store_close(store);
	return status;
}

static const struct {
	const char *table, *sql;
	bool compared;                  /* diff and replay notice it too */
} changes[] = {
	{ "t_counter", "UPDATE t_counter SET barriers = barriers + 1", false },
	{ "t_hit", "UPDATE t_hit SET hits = hits + 1", false },
	{ "t_kv", "UPDATE t_kv SET position = position + 100", false },
	{ "t_kv", "UPDATE t_kv SET source_offset = source_offset + 4", false },
	{ "t_reduce", "UPDATE t_reduce SET weight = weight / 2", false },
	{ "t_model", "UPDATE t_model SET max_len = max_len + 1", false },
	{ "t_attention", "UPDATE t_attention SET kv_dtype = 'f16'", false },
	{ "t_run", "UPDATE t_run SET device_name = 'NVIDIA H200'", false },
	{ "t_run", "UPDATE t_run SET seed = CAST(seed AS TEXT)", false },
	{ "t_partial", "UPDATE t_partial SET lse = lse + 1 WHERE lse IS NOT NULL", false },
	{ "t_partial", "UPDATE t_partial SET weight = weight / 2", false },
	{ "t_partial", "UPDATE t_partial SET max = max + 1", true },
	{ "t_digest", "UPDATE t_digest SET digest = digest + 1", true },
	{ "t_digest", "UPDATE t_digest SET data = (SELECT min(data) FROM t_blob)"
	  " WHERE data = (SELECT max(data) FROM t_digest)", true },
	{ "t_point", "UPDATE t_point SET v0 = v0 + 1", true },
	{ "t_point", "DELETE FROM t_point WHERE sequence = 0", true },
	{ "t_point_sum", "DELETE FROM t_point_sum WHERE launch = 2", true },
	{ "t_point_name", "UPDATE t_point_name SET content = content || 'x'", true },
	{ "t_launch", "UPDATE t_launch SET threads = threads * 2", true },
	{ "t_token", "UPDATE t_token SET byte = byte + 1", false },
	{ "t_text", "UPDATE t_text SET content = content || ' ' WHERE text = 1", false },
	{ "t_kernel_count", "UPDATE t_kernel_count SET launches = launches + 1", false },
	{ "t_step", "UPDATE t_step SET last_op = last_op - 1 WHERE step = 1", false },
	{ "t_finding", "UPDATE t_finding SET line = 7", false },
	{ "t_op_kind", "UPDATE t_op_kind SET name = 'uploads' WHERE kind = 2", false },
	{ "t_sum", "INSERT INTO t_sum VALUES (1, 't_none', 0, 0)", false },
	{ "t_op", "DELETE FROM t_sum WHERE \"table\" = 't_op'", false },
	{ "t_text", "INSERT INTO t_text VALUES (99, 'x')", false },
};

/* By commands that compare runs, too. */
static void is_noticed(const char *what)
{
	ck_assert_msg(diff_status() != STATUS_OK, "diff: %s", what);
	ck_assert_msg(replay_status() != STATUS_OK, "replay: %s", what);
}

START_TEST(changed_rows)
{
	make_trace(WHOLE);
	is_good(WHOLE);
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		copy_file(WHOLE, T);
		ck_assert_msg(change(changes[i].sql) > 0, "%s: no row changed", changes[i].sql);
		is_wrong(changes[i].sql, changes[i].table);
		if (changes[i].compared)
			is_noticed(changes[i].sql);
	}
	unlink(WHOLE);
}
END_TEST

/* Without sums, columns and digests are still checked against what determines them. */
START_TEST(changed_rows_without_sums)
{
	static const char no_sums[] =
		"UPDATE t_sum SET \"table\" = '', rows = NULL, hash = NULL WHERE run = 1"
		" AND \"table\" = 't_op'; DELETE FROM t_sum WHERE \"table\" <> '';";
	static const char *const derived[] = {
		"t_kv", "t_reduce", "t_model", "t_attention", "t_partial", "t_digest", "t_point",
		"t_point_sum", "t_launch", "t_kernel_count", "t_step", "t_op_kind",
	};
	int64_t warnings;

	make_trace(WHOLE);
	copy_file(WHOLE, T);
	change(no_sums);
	ck_assert_msg(verify(T, &warnings) == 0 && warnings == 1, "%s%s", lines.text[false],
		      lines.text[true]);
	ck_assert_ptr_nonnull(strstr(lines.text[false], "t_point_sum"));
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		bool is_derived = changes[i].compared;

		for (size_t k = 0; k < sizeof derived / sizeof derived[0]; k++)
			is_derived = is_derived || !strcmp(changes[i].table, derived[k]);
		if (!is_derived)
			continue;
		copy_file(WHOLE, T);
		change(no_sums);
		change(changes[i].sql);
		ck_assert_msg(verify(T, NULL) > 0, "verify: %s", changes[i].sql);
		if (changes[i].compared)
			is_noticed(changes[i].sql);
	}
	unlink(WHOLE);
}
END_TEST

/* --- flipped bits --- */

/* Every row of a table, value by value. */
static bool add_rows(sqlite3 *db, const char *table, FILE *out)
{
	char *sql = xasprintf("SELECT * FROM main.%s", table);
	sqlite3_stmt *row;
	int code = sqlite3_prepare_v2(db, sql, -1, &row, NULL);

	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(row);
		for (int i = 0; code == SQLITE_ROW && i < sqlite3_column_count(row); i++) {
			int type = sqlite3_column_type(row, i);
			double real = sqlite3_column_double(row, i);
			const unsigned char *bytes = sqlite3_column_blob(row, i);
			int count = type == SQLITE_FLOAT ? 0 : sqlite3_column_bytes(row, i);

			fprintf(out, "%d:", type);
			if (type == SQLITE_FLOAT)
				fprintf(out, "%a", real);
			for (int k = 0; k < count; k++)
				fprintf(out, "%02x", bytes[k]);
			putc(' ', out);
		}
		putc('\n', out);
	}
	sqlite3_finalize(row);
	free(sql);
	return code == SQLITE_DONE;
}

static bool add_tables(sqlite3 *db, FILE *out)
{
	sqlite3_stmt *names;
	int code = sqlite3_prepare_v2(db, "SELECT name FROM main.sqlite_schema WHERE type = 'table'"
				      " ORDER BY name", -1, &names, NULL);

	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(names);
		if (code == SQLITE_ROW
		    && !add_rows(db, (const char *)sqlite3_column_text(names, 0), out))
			code = SQLITE_CORRUPT;
	}
	sqlite3_finalize(names);
	return code == SQLITE_DONE;
}

/* The logical dump, and every row of every table; NULL if they cannot be read. */
static char *content_of(struct store *store)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool good;

	ck_assert_ptr_nonnull(out);
	good = dump_logical(store, out) == STATUS_OK && add_tables(store_db(store), out);
	ck_assert_int_eq(fclose(out), 0);
	if (good)
		return text;
	free(text);
	return NULL;
}

static void flip(int fd, long at, int bit)
{
	unsigned char byte;

	ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
	byte ^= (unsigned char)(1 << bit);
	ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
}

enum flipped { NOTICED, REFUSED, UNUSED, UNNOTICED };

/* What becomes of the file T with a flipped bit, whose content was `before`. */
static enum flipped try_flip(const char *before)
{
	enum flipped result = NOTICED;
	struct verify_report report;
	struct store *store;
	char *after;

	lines = (struct lines){ 0 };
	if (store_open(T, &store) != STATUS_OK)
		return REFUSED;
	if (verify_trace(store, take_line, &lines, &report) != STATUS_OK) {
		result = REFUSED;
	} else if (!report.wrong) {
		after = content_of(store);
		result = after && !strcmp(before, after) ? UNUSED : UNNOTICED;
		free(after);
	}
	store_close(store);
	return result;
}

START_TEST(flipped_bits)
{
	const char *seed = getenv("SEED");
	uint32_t random = seed ? (uint32_t)strtoul(seed, NULL, 10) : 1;
	int counts[UNNOTICED] = { 0 }, fd;
	struct store *store;
	char *before;
	long size;

	make_trace(T);
	OK(store_open(T, &store));
	before = content_of(store);
	store_close(store);
	ck_assert_ptr_nonnull(before);
	size = size_of(T);
	fd = open(T, O_RDWR);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < FLIPS; i++) {
		long at = random_pick(&random, 0, (int)size - 1);
		int bit = random_pick(&random, 0, 7);
		enum flipped result;

		flip(fd, at, bit);
		result = try_flip(before);
		ck_assert_msg(result != UNNOTICED, "bit %d of byte %ld changes content, unnoticed",
			      bit, at);
		counts[result]++;
		flip(fd, at, bit);
		/* A flipped bit of the header can make SQLite use these. */
		unlink(T "-wal");
		unlink(T "-shm");
		unlink(T "-journal");
	}
	close(fd);
	is_good(T);
	printf("# %d flips in %ld bytes: %d noticed, %d refused on opening, %d in unused bytes\n",
	       FLIPS, size, counts[NOTICED], counts[REFUSED], counts[UNUSED]);
	free(before);
}
END_TEST

/* --- writers --- */

START_TEST(appended_runs)
{
	const struct store_options append = { .append = true };
	struct store *store;
	int64_t run;

	make_trace(T);
	OK(store_create(T, &append, &store));
	record(store, false);
	run = record(store, false);
	ck_assert_int_eq(run, 3);
	OK(store_close(store));
	is_good(T);
	change("VACUUM");
	is_good(T);
	change("UPDATE t_point SET v0 = v0 + 1 WHERE run = 2");
	is_wrong("run 2", "run 2: t_point");
	ck_assert(!strstr(lines.text[true], "run 1") && !strstr(lines.text[true], "run 3"));
}
END_TEST

/* A finding under another order is stored after the run's end. */
START_TEST(late_finding)
{
	struct store *store;
	int64_t run;

	OK(store_create(T, NULL, &store));
	run = record(store, false);
	OK(store_finding(store, run, &(struct row_finding){ .class = "oob", .launch = -1 },
			 "{\"class\":\"oob\"}"));
	OK(store_close(store));
	is_good(T);
}
END_TEST

/* Another writer completes a run while a page of this one is partly full. */
START_TEST(interleaved_writers)
{
	const struct store_options append = { .append = true };
	struct store *first, *second;
	int64_t run, warnings;
	float values[64];

	OK(store_create(T, NULL, &first));
	put_uploads(first, 8, 1);
	run = begin_run(first);
	OK(store_op(first, run, &(struct row_op){ .kind = OP_SYNC, .object = -1 }, NULL));
	fill_random(values, 64);
	OK(store_op(first, run, &(struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 256,
		.data = values, .object = -1 }, NULL));
	OK(store_commit(first));
	OK(store_create(T, &append, &second));
	record(second, false);
	OK(store_close(second));
	fill_random(values, 64);
	OK(store_op(first, run, &(struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 256,
		.data = values, .object = -1 }, NULL));
	OK(store_commit(first));
	verify(T, &warnings);
	ck_assert_msg(!strstr(lines.text[true], "sum"), "%s", lines.text[true]);
	OK(store_run_end(first, run, "OK", NULL));
	OK(store_close(first));
	verify(T, &warnings);
	ck_assert_msg(warnings == 0 && !strstr(lines.text[true], "sum"), "%s%s", lines.text[false],
		      lines.text[true]);
}
END_TEST

/* A writer that dies leaves a run without sums, and those of others as they were. */
START_TEST(killed_writer)
{
	const struct store_options append = { .append = true };
	int64_t warnings;
	int status;
	pid_t child;

	make_trace(T);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		struct store *store;

		if (store_create(T, &append, &store) == STATUS_OK)
			record(store, true);
		raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_msg(verify(T, &warnings) == 0, "%s", lines.text[true]);
	ck_assert_int_ge(warnings, 1);
	ck_assert_ptr_nonnull(strstr(lines.text[false], "run 2 is incomplete"));
	unlink(T "-journal");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("verify");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, changed_rows);
	tcase_add_test(tests, changed_rows_without_sums);
	tcase_add_test(tests, flipped_bits);
	tcase_add_test(tests, appended_runs);
	tcase_add_test(tests, late_finding);
	tcase_add_test(tests, interleaved_writers);
	tcase_add_test(tests, killed_writer);
	return run_suite("verify", tests);
}
