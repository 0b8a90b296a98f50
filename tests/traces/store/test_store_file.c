/* test_store_file.c - the trace file as a file: names, force and append, damage, earlier formats.
 *
 * Its contents are tested in test_store.c; full disks and kills in test_store_kill.c.
 */
#include "config.h"

#include "tests/dump_text.h"
#include "tests/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "traces/store/dump.h"
#include "traces/store/sql_functions.h"

/* --- names, force, append --- */

START_TEST(existing_file)
{
	struct store *store, *other;

	OK(store_create(T, NULL, &store));
	put_uploads(store, 2, 1);
	OK(store_close(store));
	FAILS(store_create(T, NULL, &store), STATUS_USAGE, "--force");
	FAILS(store_create("none/t.twin", NULL, &store), STATUS_IO, "none/t.twin");
	FAILS(store_create("", NULL, &store), STATUS_USAGE, "empty");
	FAILS(store_create("/dev/null", &(struct store_options){ .force = true }, &store),
	      STATUS_USAGE, "regular");

	/* With force, the old file stays until the first commit of the new one. */
	OK(store_create(T, &(struct store_options){ .force = true }, &store));
	begin_run(store);
	OK(store_open(T, &other));
	QUERY(other, "SELECT ops||complete FROM v_run", "21");
	OK(store_close(other));
	OK(store_commit(store));
	OK(store_open(T, &other));
	QUERY(other, "SELECT ops||complete FROM v_run", "00");
	OK(store_close(other));
	OK(store_close(store));

	/* The file appeared after store_create(): the first to commit gets the name. */
	unlink(T);
	OK(store_create(T, NULL, &store));
	begin_run(store);
	ck_assert_int_eq(close(open(T, O_CREAT | O_WRONLY, 0666)), 0);
	FAILS(store_commit(store), STATUS_USAGE, "exists");
	FAILS(store_close(store), STATUS_IO, "exists");
	ck_assert_int_eq(size_of(T), 0);
}
END_TEST

START_TEST(no_run_makes_no_file)
{
	struct store *store;

	OK(store_create(T, NULL, &store));
	OK(store_close(store));
	ck_assert(!exists(T));
	OK(store_close(NULL));
}
END_TEST

START_TEST(append)
{
	struct store *store;
	long once;

	FAILS(store_create(T, &(struct store_options){ .append = true }, &store), STATUS_IO,
	      "No such file");
	OK(store_create(T, NULL, &store));
	put_uploads(store, 300, 100);
	OK(store_close(store));
	once = size_of(T);
	OK(store_create(T, &(struct store_options){ .append = true }, &store));
	put_uploads(store, 300, 100);
	put_everything(store);
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "SELECT group_concat(run||':'||ops) FROM v_run", "1:300,2:300,3:6");
	OK(sql_functions_register(store));
	QUERY(store,
	      "SELECT count(*) FROM v_op a JOIN v_op b ON a.run = 1 AND b.run = 2 AND a.op = b.op"
	      " WHERE data(a.data) = data(b.data)",
	      "300");
	OK(store_close(store));
	/* The same bytes are not stored again. */
	ck_assert_int_lt(size_of(T), once + 300 * 256 / 2);
}
END_TEST

/* --- damage --- */

static void change(const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	ck_assert_int_eq(sqlite3_open(T, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK, "%s: %s", sql,
		      message);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

START_TEST(foreign_files)
{
	struct store *store;

	FAILS(store_open(T, &store), STATUS_IO, "No such file");
	FAILS(store_open(".", &store), STATUS_IO, "directory");
	write_file(T, "", 0);
	FAILS(store_open(T, &store), STATUS_DAMAGED, "empty");
	write_file(T, "this is no database, whatever its name says", 44);
	FAILS(store_open(T, &store), STATUS_DAMAGED, "is not a SQLite file");
	FAILS(store_create(T, &(struct store_options){ .append = true }, &store), STATUS_DAMAGED,
	      "is not a SQLite file");
	unlink(T);
	change("CREATE TABLE mine (x)");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "another program's SQLite file");
	unlink(T);
	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change("PRAGMA user_version = 99");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "format 99; this one reads format 9");
	change("PRAGMA user_version = 9; DROP VIEW v_op");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "has no v_op");
	change("CREATE VIEW v_op AS SELECT run FROM t_run");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "view v_op is not that of trace format 9");
}
END_TEST

/* Each is refused by name, by a reader and by a writer. */
START_TEST(foreign_objects)
{
	static const struct {
		const char *sql, *named;
	} cases[] = {
		{ "CREATE TRIGGER x AFTER INSERT ON t_run BEGIN SELECT 1; END",
		  "trigger x is not" },
		{ "CREATE TABLE x (y)", "table x is not part of trace format 9" },
		{ "CREATE INDEX x ON t_op (code)", "index x is not" },
		{ "CREATE VIEW t_op_x AS SELECT 1", "view t_op_x is not" },
		{ "DROP TABLE t_hit; CREATE VIEW t_hit AS SELECT 1", "view t_hit is not" },
		{ "DROP VIEW v_hit; CREATE VIEW v_hit AS SELECT run, launch, file, line, 1 AS hits"
		  " FROM t_hit", "view v_hit is not that of" },
		{ "DROP TABLE t_hit; CREATE TABLE t_hit (run INTEGER, launch INTEGER, file TEXT,"
		  " line INTEGER, hits AS (run), PRIMARY KEY (run, launch, file, line))"
		  " WITHOUT ROWID", "table t_hit is not that of" },
		{ "UPDATE t_byte SET scale = 1 WHERE n = 7", "t_byte has wrong rows" },
		{ "INSERT INTO t_byte VALUES (256, 0, 0)", "t_byte has wrong rows" },
		{ "PRAGMA user_version = 3", "table t_attention is not part of trace format 3" },
		{ "ANALYZE", "table sqlite_stat1 is not" },
	};
	struct store *store;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OK(store_create(T, &(struct store_options){ .force = true }, &store));
		put_everything(store);
		OK(store_close(store));
		change(cases[i].sql);
		FAILS(store_open(T, &store), STATUS_DAMAGED, cases[i].named);
		FAILS(store_create(T, &(struct store_options){ .append = true }, &store),
		      STATUS_DAMAGED, cases[i].named);
	}
}
END_TEST

/* White space and comments may change; so may what schema_earlier.sql lists. */
START_TEST(other_forms)
{
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change("DROP VIEW v_hit; CREATE VIEW v_hit AS SELECT run,launch,\n -- of \"it\"\n file ,"
	       " line, hits\tFROM t_hit; DROP INDEX t_op_launch;"
	       "CREATE INDEX t_op_launch ON t_op (run, launch)");
	OK(store_open(T, &store));
	QUERY(store, "SELECT count(*) > 0 FROM v_op", "1");
	OK(store_close(store));
}
END_TEST

START_TEST(truncated)
{
	struct store *store;
	long whole;

	OK(store_create(T, NULL, &store));
	put_uploads(store, 100, 1000);
	OK(store_close(store));
	whole = size_of(T);
	ck_assert_int_eq(truncate(T, whole - 5000), 0);
	FAILS(store_open(T, &store), STATUS_DAMAGED, "truncated");
	ck_assert_int_eq(truncate(T, 50), 0);
	FAILS(store_open(T, &store), STATUS_DAMAGED, "truncated");
}
END_TEST

START_TEST(damaged_rows)
{
	static const struct {
		const char *sql, *text;
	} cases[] = {
		{ "UPDATE t_page SET sum = sum + 1", "page 1 is damaged" },
		{ "UPDATE t_page SET bytes = 4", "page 1 is damaged" },
		{ "UPDATE t_piece SET offset = 65000", "is damaged" },
		{ "UPDATE t_blob SET bytes = 1 << 60", "is damaged" },
		{ "UPDATE t_blob SET pieces = x'ffffffff'", "is damaged" },
		{ "UPDATE t_op SET bytes = 7 WHERE kind = 2", "wrong length" },
		{ "UPDATE t_op SET kind = 77 WHERE op = 3", "out of range" },
		{ "UPDATE t_op SET buffer = 'x' WHERE op = 3", "out of range" },
		{ "UPDATE t_op SET data = NULL WHERE kind = 2", "data is missing" },
		{ "DELETE FROM t_call", "call is missing" },
		{ "UPDATE t_op SET launch = NULL", "does not ascend" },
		{ "UPDATE t_call SET grid_x = -1", "bad launch" },
		{ "UPDATE t_arg SET buffer = -1 WHERE position = 0", "bad argument" },
		{ "UPDATE t_buffer SET dtype = 'f12'", "bad buffer" },
		{ "UPDATE t_buffer SET shape = '[8'", "bad buffer" },
		{ "DELETE FROM t_buffer", "buffer is missing" },
		{ "UPDATE t_buffer SET buffer = 4294967295", "buffer 1, got 4294967295" },
		{ "UPDATE t_buffer SET shape = '[8,65]'", "2080 bytes by its shape" },
		{ "UPDATE t_buffer SET shape = '[9,2305843009213693952]'", "is too large" },
		{ "UPDATE t_buffer SET bytes = 1 << 60", "by its shape" },
		{ "UPDATE t_op SET buffer = 9 WHERE kind = 2", "buffer 9 does not exist" },
		{ "UPDATE t_op SET kind = 1 WHERE kind = 2", "buffer 1 no longer exists" },
		{ "UPDATE t_op SET offset = 1 WHERE kind = 2", "bytes at offset 1 of buffer 1" },
		{ "UPDATE t_op SET offset = 1 << 62 WHERE kind = 6", "buffer 1, which has 2048" },
		{ "UPDATE t_op SET from_buffer = 2 WHERE kind = 5",
		  "buffer 2 does not exist, only 1" },
		{ "UPDATE t_op SET from_offset = 2041 WHERE kind = 5", "8 bytes at offset 2041" },
		{ "UPDATE t_op SET stream = -1 WHERE kind = 6", "stream -1 does not exist" },
		{ "UPDATE t_op SET kind = 9 WHERE kind = 6", "expected stream 1, got 0" },
		{ "UPDATE t_op SET kind = 13 WHERE kind = 6", "event -1 does not exist" },
		{ "UPDATE t_op SET kind = 15 WHERE kind = 6", "expected graph 1, got -1" },
		{ "UPDATE t_op SET kind = 18 WHERE kind = 6",
		  "executable graph -1 does not exist" },
		{ "DELETE FROM t_op WHERE op = 2", "the operation before it is missing" },
		{ "UPDATE t_pointer SET offset = 2049 WHERE offset = 32", "to offset 2049" },
		{ "UPDATE t_pointer SET at = 9 WHERE at = 8", "pointer at offset 9 of 16 bytes" },
		{ "DELETE FROM t_pointer WHERE at = 8", "expected 8 bytes for 1 pointers" },
		{ "UPDATE t_arg SET buffer = 2 WHERE position = 0", "offset 16 of buffer 2" },
		{ "UPDATE t_arg_pointer SET at = 16", "pointer at offset 16 of 16 bytes" },
		{ "UPDATE t_call SET grid_y = 65536", "invalid grid 8,65536,4" },
		{ "UPDATE t_call SET block_z = 1025", "invalid block 32,2,1025" },
		{ "UPDATE t_call SET kernel = 'x'", "its kernel is not one of the run's" },
	};
	struct store *store;
	struct store_cursor *c;
	struct row_op op;
	int64_t number;
	bool end = false;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum status status = STATUS_OK;

		OK(store_create(NULL, NULL, &store));
		put_everything(store);
		/* Writes out the pages, so that the change is not overwritten. */
		OK(store_commit(store));
		ck_assert_int_eq(sqlite3_exec(store_db(store), cases[i].sql, NULL, NULL, NULL),
				 SQLITE_OK);
		OK(store_ops_open(store, 1, &c));
		do
			status = store_ops_next(c, &op, &number, &end);
		while (status == STATUS_OK && !end);
		ck_assert_msg(status == STATUS_DAMAGED && strstr(error_text(), cases[i].text),
			      "%s: %d %s", cases[i].sql, status, status ? error_text() : "");
		store_ops_close(c);
		OK(store_close(store));
	}
}
END_TEST

/* Rows of a call are left without the call, whose number an added run takes. That is the file's
 * fault, not the program's. */
START_TEST(append_to_damaged_rows)
{
	const struct row_arg arg = { .name = "n", .type = "int", .kind = "i32" };
	const struct row_launch launch = {
		.kernel = "k", .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .cluster = { 1, 1, 1 },
		.args = &arg, .arg_count = 1,
	};
	const struct row_op op = { .kind = OP_LAUNCH, .object = -1, .launch = &launch };
	struct store *store;
	enum status status;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change("DELETE FROM t_call");
	OK(store_create(T, &(struct store_options){ .append = true }, &store));
	status = store_op(store, begin_run(store), &op, NULL);
	ck_assert_msg(status == STATUS_DAMAGED && strstr(error_text(), "the trace is damaged"),
		      "%d: %s", (int)status, error_text());
	store_close(store);
}
END_TEST

/* Reads the whole trace; any status is fine, a crash is not. */
static void read_through(void)
{
	struct store *store;
	FILE *out;

	if (store_open(T, &store) != STATUS_OK)
		return;
	out = fopen("/dev/null", "w");
	ck_assert_ptr_nonnull(out);
	dump_logical(store, out);
	fclose(out);
	for (int64_t run = 1; run <= 2; run++) {
		struct store_cursor *c;
		struct row_op op;
		int64_t number;
		bool end = false;

		if (store_ops_open(store, run, &c) != STATUS_OK)
			continue;
		while (store_ops_next(c, &op, &number, &end) == STATUS_OK && !end)
			;
		store_ops_close(c);
	}
	store_close(store);
}

START_TEST(fuzz)
{
	struct store *store;
	long size;
	unsigned char *good;
	FILE *file;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	size = size_of(T);
	good = xmalloc((size_t)size);
	file = fopen(T, "rb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(good, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	srand(11);
	for (int i = 0; i < 60; i++) {
		unsigned char *bytes = xmalloc((size_t)size);

		memcpy(bytes, good, (size_t)size);
		for (int changes = 0; changes < 20; changes++)
			bytes[100 + (size_t)rand() % ((size_t)size - 100)] ^=
				(unsigned char)(1 + rand() % 255);
		write_file(T, bytes, (size_t)size);
		read_through();
		free(bytes);
	}
	free(good);
}
END_TEST

/* --- versions --- */

/* What version 9 added. */
#define WITHOUT_ATTENTION \
	"DROP VIEW v_attention; DROP TABLE t_attention;" \
	" DELETE FROM t_sum WHERE \"table\" = 't_attention';"

/* Makes accesses what they were before version 8. */
#define WITHOUT_REQUESTS \
	WITHOUT_ATTENTION \
	"DROP VIEW v_request; DROP TABLE t_request; DROP VIEW v_access_line;" \
	" DROP TABLE t_access_line; DROP VIEW v_access; DROP TABLE t_access;" \
	" CREATE TABLE t_access (run INTEGER, launch INTEGER, thread INTEGER, sequence INTEGER," \
	" kind, space, buffer, offset, bytes, bits, file, line," \
	" PRIMARY KEY (run, launch, thread, sequence)) WITHOUT ROWID;" \
	" CREATE VIEW v_access AS SELECT p.run, p.launch, p.thread / l.threads AS block," \
	" p.thread % l.threads / 32 AS warp, p.thread % l.threads % 32 AS lane, p.sequence," \
	" p.kind, p.space, p.buffer, p.offset, p.bytes, p.bits, p.file, p.line FROM t_access p" \
	" CROSS JOIN t_launch l ON l.run = p.run AND l.launch = p.launch;" \
	" DELETE FROM t_sum WHERE \"table\" IN ('t_request', 't_access_line');"

/* Makes t_kv as it was before version 5. */
#define BY_LAUNCH \
	WITHOUT_REQUESTS \
	"CREATE TEMP TABLE kept AS SELECT * FROM t_kv; DROP VIEW v_kv; DROP TABLE t_kv;" \
	"CREATE TABLE t_kv (run INTEGER, launch INTEGER, tensor INTEGER, slot INTEGER," \
	" position INTEGER, kv_head INTEGER, layer, buffer, offset, bytes, source_op," \
	" source_offset, PRIMARY KEY (run, launch, tensor, slot, position, kv_head))" \
	" WITHOUT ROWID;" \
	"INSERT INTO t_kv SELECT k.run, o.launch, tensor, slot, position, kv_head, k.layer," \
	" k.buffer, k.offset, k.bytes, source_op, source_offset FROM temp.kept k JOIN t_op o" \
	" USING (run, op);" \
	"CREATE VIEW v_kv AS SELECT run, launch, CASE tensor WHEN 0 THEN 'k' ELSE 'v' END" \
	" AS tensor, layer, slot, kv_head, position, buffer, offset, bytes, source_op," \
	" source_offset FROM t_kv;"
#define KV_ROWS \
	"SELECT group_concat(op||' '||launch||' '||tensor||position||'@'||offset||'+'||bytes" \
	"||' '||coalesce(source_op, 'null')) FROM v_kv"

/* Before version 5, rows of a cache were keyed by launch: a reader sees them by operation, and
 * adding a run converts them. */
START_TEST(rows_keyed_by_launch)
{
	static const char rows[] = "5 3 k17@64+256 1,5 3 v17@64+256 null";
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change(BY_LAUNCH "PRAGMA user_version = 4; DROP VIEW v_softmax; DROP TABLE t_softmax;"
	       " DROP TABLE t_sum");
	OK(store_open(T, &store));
	QUERY(store, KV_ROWS, rows);
	QUERY(store, "SELECT count(*) FROM v_softmax", "0");
	QUERY(store, "SELECT launch FROM main.t_kv LIMIT 1", "3");
	OK(store_close(store));
	OK(store_create(T, &append, &store));
	put_everything(store);
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	QUERY(store, KV_ROWS " WHERE run = 1", rows);
	QUERY(store, KV_ROWS " WHERE run = 2", rows);
	QUERY(store, "SELECT min(op) FROM main.t_kv", "5");
	OK(store_close(store));
	change("ALTER TABLE t_kv RENAME COLUMN bytes TO size");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "is not that of trace format 9");
}
END_TEST

/* Before version 6, the views of partials and reductions had other columns: a reader sees the
 * present ones, and adding to the file replaces the views. */
#define WITHOUT_SHARE \
	WITHOUT_REQUESTS \
	"DROP VIEW v_reduce; CREATE VIEW v_reduce AS SELECT run, launch, slot, head, sequence," \
	" chunk, weight, sum FROM t_reduce; PRAGMA user_version = 5;"

START_TEST(views_of_other_columns)
{
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change(WITHOUT_SHARE);
	OK(store_open(T, &store));
	QUERY(store, "SELECT factor||sum||weight FROM v_reduce", "1.02.01.0");
	OK(store_close(store));
	change("PRAGMA user_version = 7");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "v_reduce is not that of trace format 7");
	change("PRAGMA user_version = 5");
	OK(store_create(T, &append, &store));
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	QUERY(store, "SELECT factor FROM main.v_reduce", "1.0");
	OK(store_close(store));
}
END_TEST

/* Before version 8, t_access was by thread and empty: a reader sees the present columns, and adding
 * to the file replaces it. */
START_TEST(accesses_by_thread)
{
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change(WITHOUT_REQUESTS "PRAGMA user_version = 7");
	OK(store_open(T, &store));
	QUERY(store, "SELECT count(*) + count(request) + count(lane) FROM v_access", "0");
	QUERY(store, "SELECT count(*) FROM v_request", "0");
	OK(store_close(store));
	change("PRAGMA user_version = 8");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "it has no t_request");
	change("PRAGMA user_version = 7");
	OK(store_create(T, &append, &store));
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	QUERY(store, "SELECT count(request) FROM main.t_access", "0");
	QUERY(store, "SELECT count(*) FROM t_sum WHERE \"table\" = 't_request'", "1");
	OK(store_close(store));
}
END_TEST

/* Before version 9, it was not recorded what attention is computed with: a reader sees none, and
 * adding to the file adds the table, with a sum. */
START_TEST(attention_not_recorded)
{
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change(WITHOUT_ATTENTION "PRAGMA user_version = 8");
	OK(store_open(T, &store));
	QUERY(store, "SELECT count(*) FROM v_attention", "0");
	OK(store_close(store));
	change("PRAGMA user_version = 9");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "it has no t_attention");
	change("PRAGMA user_version = 8");
	OK(store_create(T, &append, &store));
	put_everything(store);
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	QUERY(store, "SELECT group_concat(run) FROM main.v_attention", "2");
	QUERY(store, "SELECT group_concat(run || ' ' || rows) FROM t_sum"
	      " WHERE \"table\" = 't_attention'", "1 0,2 1");
	QUERY(store, "SELECT count(*) FROM t_sum WHERE \"table\" = 't_request'", "2");
	OK(store_close(store));
}
END_TEST

/* A trace of version 1 lacks the later tables: they read as empty, and adding a run upgrades it. */
START_TEST(earlier_format)
{
	const struct store_options append = { .append = true };
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	change(BY_LAUNCH "PRAGMA user_version = 1; DROP VIEW v_node; DROP TABLE t_node;"
	       " DROP VIEW v_counter; DROP TABLE t_counter; DROP VIEW v_hit; DROP TABLE t_hit;"
	       " DROP VIEW v_point_sum; DROP TABLE t_point_sum; DROP TABLE t_kernel_count;"
	       " DROP VIEW v_softmax; DROP TABLE t_softmax; DROP TABLE t_sum;"
	       " DELETE FROM t_op_kind WHERE kind > 17");
	OK(store_open(T, &store));
	QUERY(store, "SELECT count(*) FROM v_node", "0");
	QUERY(store, "SELECT count(*) FROM v_counter", "0");
	QUERY(store, "SELECT count(*) FROM v_attention", "0");
	OK(store_close(store));
	OK(store_create(T, &append, &store));
	OK(store_close(store));
	OK(store_open(T, &store));
	QUERY(store, "PRAGMA user_version", "9");
	QUERY(store, "SELECT count(*) FROM t_op_kind WHERE name = 'graph_launch'", "1");
	QUERY(store, "SELECT count(*) FROM main.t_node", "0");
	OK(store_close(store));
}
END_TEST

/* --- traces in memory --- */

static const struct store_options expendable = { .expendable = true, .max_bytes = 512 << 10 };

START_TEST(image)
{
	struct store *store;
	char *wanted, *got;
	size_t count;
	void *bytes;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	OK(store_open(T, &store));
	wanted = dump_of(store);
	OK(store_close(store));
	for (int i = 0; i < 2; i++) {
		OK(store_create(NULL, i ? &expendable : NULL, &store));
		put_everything(store);
		OK(store_image(store, &bytes, &count));
		ck_assert_ptr_null(store_dropped(store));
		OK(store_close(store));
		write_file(T, bytes, count);
		sqlite3_free(bytes);
		OK(store_open(T, &store));
		QUERY(store, "SELECT count(*) > 20 FROM t_sum WHERE run = 1", "1");
		got = dump_of(store);
		ck_assert_str_eq(got, wanted);
		free(got);
		OK(store_close(store));
	}
	free(wanted);
}
END_TEST

/* What is written after a trace was dropped succeeds and has no effect. */
START_TEST(dropped)
{
	struct store *store;
	size_t count;
	void *bytes;

	OK(store_create(NULL, &expendable, &store));
	put_uploads(store, 4000, 1);
	ck_assert_str_eq(store_dropped(store), "larger than 0 MiB");
	ck_assert_str_eq(error_text(), "");
	put_everything(store);
	put_uploads(store, 4000, 2);
	OK(store_commit(store));
	FAILS(store_image(store, &bytes, &count), STATUS_IO, "larger than 0 MiB");
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("store_file");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, existing_file);
	tcase_add_test(tests, no_run_makes_no_file);
	tcase_add_test(tests, append);
	tcase_add_test(tests, append_to_damaged_rows);
	tcase_add_test(tests, foreign_files);
	tcase_add_test(tests, foreign_objects);
	tcase_add_test(tests, other_forms);
	tcase_add_test(tests, truncated);
	tcase_add_test(tests, damaged_rows);
	tcase_add_test(tests, fuzz);
	tcase_add_test(tests, views_of_other_columns);
	tcase_add_test(tests, attention_not_recorded);
	tcase_add_test(tests, earlier_format);
	tcase_add_test(tests, rows_keyed_by_launch);
	tcase_add_test(tests, accesses_by_thread);
	tcase_add_test(tests, image);
	tcase_add_test(tests, dropped);
	return run_suite("store_file", tests);
}
