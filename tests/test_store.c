/* test_store.c - the trace file: what goes in comes out, it stays small, and it survives kills.
 *
 * Works in a directory of its own, which must be empty again at the end of each test: a closed
 * trace is one file, and what is refused leaves none.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#undef fail     /* a name of Check that traces/status.h uses */

#include "traces/digest.h"
#include "traces/dump.h"
#include "traces/sql_functions.h"
#include "traces/store.h"
#include "traces/xalloc.h"

#define OK(call) \
	do { \
		enum status ok_status_ = (call); \
		ck_assert_msg(ok_status_ == STATUS_OK, "%s: %s", #call, error_text()); \
	} while (0)

/* The call fails with that status and a message that holds `text`. */
#define FAILS(call, expected, text) \
	do { \
		enum status fails_status_ = (call); \
		ck_assert_msg(fails_status_ == (expected) && strstr(error_text(), text), \
			      "%s: status %d: %s", #call, (int)fails_status_, error_text()); \
	} while (0)

#define T "t.twin"

static char directory[] = "/tmp/test_store.XXXXXX";

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static void teardown(void)
{
	unlink(T);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_msg(rmdir(directory) == 0, "%s: something was left behind", directory);
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static long size_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return (long)st.st_size;
}

/* --- making traces --- */

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Nearly normal random numbers, as activations are. */
static void fill_random(float *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double u = (rand() + 1.0) / (RAND_MAX + 1.0), v = rand() / (RAND_MAX + 1.0);

		values[i] = (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
	}
}

static int64_t begin_run(struct store *store)
{
	const struct event_run run = {
		.device = "sim",
		.device_name = "flashtwin simulator",
		.profile = "h200",
		.seed = UINT64_MAX,
		.command = "decode",
		.path = "flash-decoding",
		.options = "{\"n\":64}",
		.level = LEVEL_POINTS,
		.version = "1.0",
		.started = "2026-01-01T00:00:00Z",
		.compute = "9.0",
	};
	int64_t number;

	OK(store_run_begin(store, &run, &number));
	return number;
}

static void put_op(struct store *store, int64_t run, struct event_op op, int64_t *number,
		   int64_t *launch)
{
	if (op.kind != OP_LAUNCH)
		op.start_us = op.duration_us = NAN;
	if (!op.object)
		op.object = -1;
	OK(store_op(store, run, &op, number, launch));
}

static void put_launch(struct store *store, int64_t run, int position, int64_t *op, int64_t *launch)
{
	const struct event_pointer pointer = { 8, 2, 64 };
	const struct event_arg args[] = {
		{ .name = "q",
		  .type = "const float *",
		  .kind = "pointer",
		  .buffer = 1,
		  .offset = 16 },
		{ .name = "none", .type = "float *", .kind = "pointer" },
		{ .name = "position",
		  .type = "int",
		  .kind = "i32",
		  .bits = (uint32_t)position,
		  .live = true },
		{ .name = "scale", .type = "float", .kind = "f32", .bits = bits_of(0.125f) },
		{ .name = "table",
		  .type = "struct table",
		  .kind = "blob",
		  .blob = "0123456789abcdef",
		  .blob_bytes = 16,
		  .pointers = &pointer,
		  .pointer_count = 1 },
	};
	const struct event_launch e = {
		.kernel = "flash_decode_chunk",
		.grid = { 8, 1, 4 },
		.block = { 32, 2, 1 },
		.cluster = { 1, 1, 1 },
		.shared_bytes = 8320,
		.layer = 3,
		.args = args,
		.arg_count = 5,
	};

	put_op(store, run, (struct event_op){
		.kind = OP_LAUNCH, .stream = 2, .start_us = 12.5, .duration_us = 3.25, .launch = &e,
	}, op, launch);
}

/* A run with one of everything. */
static void put_everything(struct store *store)
{
	static const int64_t shape[] = { 8, 64 };
	const struct event_buffer buffer = { 1, "q", DTYPE_F32, 2, shape, 2048, 0 };
	const struct event_pointer table[] = { { 0, 1, 32 }, { 8, 0, 0 } };
	const float out[4] = { 1.5f, -0.0f, INFINITY, NAN };
	const uint32_t denormal = 1;
	int64_t run = begin_run(store), op, launch;
	float q[512];

	srand(7);
	fill_random(q, 512);
	OK(store_model(store, run,
		       &(struct event_model){ .directory = "m", .config = "{}", .layers = 4 }));
	OK(store_kernel(store, run, "flash_decode_chunk", "k.cu", "KERNEL x", 8, "[]", "cuda_c",
			true));
	put_op(store, run, (struct event_op){ .kind = OP_ALLOC, .buffer = 1, .bytes = 2048,
		.alloc = &buffer }, &op, &launch);
	ck_assert_int_eq(op, 0);
	ck_assert_int_eq(launch, -1);
	OK(store_step_begin(store, run, 0));
	put_op(store, run,
	       (struct event_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 2048, .data = q }, NULL,
	       NULL);
	put_op(store, run, (struct event_op){ .kind = OP_UPLOAD_POINTERS, .buffer = 2, .bytes = 16,
		.pointers = table, .pointer_count = 2 }, NULL, NULL);
	put_op(store, run, (struct event_op){ .kind = OP_COPY, .buffer = 1, .offset = 4, .bytes = 8,
		.from_buffer = 2, .from_offset = 12 }, NULL, NULL);
	put_op(store, run, (struct event_op){ .kind = OP_FILL, .buffer = 1, .bytes = 8,
		.pattern = 0xdeadbeef }, NULL, NULL);
	put_launch(store, run, 17, &op, &launch);
	ck_assert_int_eq(op, 5);
	ck_assert_int_eq(launch, 0);
	OK(store_digests(store, run, op, false, &(struct event_digest){ 1, 0, 16, 42, out }, 1));
	OK(store_digests(store, run, op, false, &(struct event_digest){ 2, 0, 16, 43, NULL }, 1));
	OK(store_partials(store, run, launch, (const struct event_partial[]){
		{ 0, 3, 1, 0, 0, 4, bits_of(2.5f), denormal, 0.5, 1.0, out + 1, 8 },
		{ 0, 3, 1, 1, 4, 4, bits_of(-INFINITY), 0, NAN, 0, NULL, 0 },
		{ 0, 3, 1, 2, 8, 4, bits_of(-INFINITY), 0, NAN, 0, NULL, 0 },
		{ 0, 3, 1, 3, 12, 4, bits_of(-INFINITY), 0, NAN, 0, NULL, 0 },
		{ 0, 4, 1, 0, 0, 4, 0x7fc00001, 0x80000000, NAN, NAN, q, 12 },
	}, 5));
	OK(store_reduces(store, run, launch, &(struct event_reduce){ 0, 3, 0, 0, 1.0, 2.0 }, 1));
	OK(store_kv(store, run, launch, (const struct event_kv[]){
		{ 'k', 3, 0, 0, 17, 1, 64, 256, 1, 0 }, { 'v', 3, 0, 0, 17, 1, 64, 256, -1, 0 },
	}, 2));
	OK(store_points(store, run, launch, (const struct event_point[]){
		{ 2, 33, 0, "softmax", 3, { bits_of(-1.5f), bits_of(0x1p-149f), 0xff800000 } },
		{ 2, 33, 1, "score", 1, { 0xffffffff } },
	}, 2, 5));
	OK(store_step_end(store, run, 0));
	OK(store_token(store, run, &(struct event_token){ 0, 0, 0, 'a', true, 0 }));
	OK(store_token(store, run, &(struct event_token){ 0, 0, 1, 'b', false, bits_of(7.25f) }));
	OK(store_run_end(store, run, "OK", NULL));
}

/* A run of uploads of the same random bytes, one commit every `every`. */
static void put_uploads(struct store *store, int count, int every)
{
	int64_t run = begin_run(store);
	float values[64];

	srand(3);
	for (int i = 0; i < count; i++) {
		fill_random(values, 64);
		put_op(store, run, (struct event_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 256,
			.data = values }, NULL, NULL);
		if (i % every == every - 1)
			OK(store_commit(store));
	}
	OK(store_run_end(store, run, "OK", NULL));
}

/* The first column of a SELECT's first row, as text; the caller frees. NULL is "NULL". */
static char *ask(struct store *store, const char *sql)
{
	sqlite3_stmt *row = NULL;
	const char *text;
	char *answer;

	ck_assert_msg(sqlite3_prepare_v2(store_db(store), sql, -1, &row, NULL) == SQLITE_OK,
		      "%s: %s", sql, sqlite3_errmsg(store_db(store)));
	ck_assert_msg(sqlite3_step(row) == SQLITE_ROW, "%s: no row", sql);
	text = (const char *)sqlite3_column_text(row, 0);
	answer = xstrdup(text ? text : "NULL");
	sqlite3_finalize(row);
	return answer;
}

#define ASK(store, sql, expected) \
	do { \
		char *ask_answer_ = ask(store, sql); \
		ck_assert_msg(!strcmp(ask_answer_, expected), "%s: %s, not %s", sql, ask_answer_, \
			      expected); \
		free(ask_answer_); \
	} while (0)

/* --- reading back --- */

START_TEST(views)
{
	struct store *store;

	OK(store_create(T, NULL, &store));
	ck_assert(!exists(T));
	put_everything(store);
	ck_assert(!exists(T));
	OK(store_close(store));
	OK(store_open(T, &store));
	ASK(store, "SELECT device||level||complete||ended||ops||launches||steps FROM v_run",
	    "simpoints1OK611");
	ASK(store, "SELECT seed FROM v_run", "-1");
	ASK(store, "SELECT source FROM v_source", "KERNEL x");
	ASK(store, "SELECT layers FROM v_model", "4");
	ASK(store, "SELECT group_concat(kind) FROM v_op",
	    "alloc,upload,upload_pointers,copy,fill,launch");
	ASK(store, "SELECT count(*) FROM v_op WHERE start_us IS NULL AND duration_us IS NULL", "5");
	ASK(store, "SELECT pattern FROM v_op WHERE kind = 'fill'", "3735928559");
	ASK(store,
	    "SELECT "
	    "kernel||grid_z||block_y||shared_bytes||layer||stream||step||dropped||duration_us"
	    " FROM v_launch WHERE run = 1 AND launch = 0",
	    "flash_decode_chunk42832032053.25");
	ASK(store, "SELECT group_concat(coalesce(value, 'null')) FROM v_arg",
	    "null,null,17,0.125,null");
	ASK(store, "SELECT group_concat(coalesce(buffer, 'null')) FROM v_arg",
	    "1,null,null,null,null");
	ASK(store, "SELECT group_concat(coalesce(position, 'up')||'@'||at) FROM v_pointer",
	    "up@0,up@8,4@8");
	ASK(store, "SELECT name||dtype||shape||bytes||coalesce(freed_op, 'kept') FROM v_buffer",
	    "qf32[8,64]2048kept");
	ASK(store, "SELECT group_concat(entry||buffer||digest||launch||step) FROM v_digest",
	    "014200,124300");
	ASK(store, "SELECT group_concat(tensor||position||coalesce(source_op, 'null')) FROM v_kv",
	    "k171,v17null");
	ASK(store, "SELECT weight||sum FROM v_reduce", "1.02.0");
	ASK(store, "SELECT group_concat(byte||coalesce(logit, 'null')||logit_kind) FROM v_token",
	    "97nullnone,987.25num");
	ASK(store, "SELECT first_op||last_op FROM v_step", "15");
	ASK(store, "SELECT count(*) FROM v_access", "0");
	ASK(store, "SELECT count(*) FROM v_line", "0");
	ASK(store, "SELECT count(*) FROM v_finding", "0");
	ASK(store, "SELECT count(*) FROM v_diff", "0");
	OK(store_close(store));
}
END_TEST

START_TEST(floats)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	put_everything(store);
	ASK(store, "SELECT max||max_kind FROM v_partial WHERE head = 3 AND chunk = 0", "2.5num");
	ASK(store, "SELECT sum = 1.401298464324817e-45 FROM v_partial WHERE head = 3 AND chunk = 0",
	    "1");
	ASK(store, "SELECT max = -9e999 AND max_kind = 'inf' AND sum = 0 AND empty AND lse IS NULL"
	    " AND acc_data IS NULL FROM v_partial WHERE head = 3 AND chunk = 3", "1");
	ASK(store,
	    "SELECT max IS NULL AND max_kind = 'nan' AND sum_bits = -2147483648 AND sum_kind = "
	    "'num'"
	    " FROM v_partial WHERE head = 4",
	    "1");
	/* Three empty chunks are one row of the table and three of the view. */
	ASK(store,
	    "SELECT group_concat(chunk||':'||key_begin||':'||key_end) FROM v_partial WHERE head = "
	    "3",
	    "0:0:4,1:4:4,2:8:4,3:12:4");
	ASK(store, "SELECT count(*) FROM t_partial", "3");
	ASK(store, "SELECT block||','||warp||','||lane||','||sequence||name||count FROM v_point",
	    "2,1,1,0softmax3");
	ASK(store, "SELECT v0||v0_kind||v2_kind||v3_kind FROM v_point WHERE sequence = 0",
	    "-1.5numinfnone");
	ASK(store,
	    "SELECT v1 = 1.401298464324817e-45 AND v2 = -9e999 FROM v_point WHERE sequence = 0",
	    "1");
	ASK(store,
	    "SELECT v0 IS NULL AND v0_kind = 'nan' AND v0_bits = -1 AND v1_kind = 'none' FROM "
	    "v_point"
	    " WHERE sequence = 1",
	    "1");
	OK(store_close(store));
}
END_TEST

/* The REAL of the views equals the float, for every exponent and both signs. */
START_TEST(floats_exact)
{
	struct event_point points[512];
	struct store *store;
	sqlite3_stmt *rows;
	int64_t run, launch;
	int count = 0;

	OK(store_create(NULL, NULL, &store));
	run = begin_run(store);
	put_launch(store, run, 0, NULL, &launch);
	for (uint32_t i = 0; i < 512; i++)
		points[i] = (struct event_point){ 0, i & 63, i >> 6, "p", 1,
			{ i << 23 | (i * 2654435761u >> 9) } };
	OK(store_points(store, run, launch, points, 512, 0));
	ck_assert_int_eq(sqlite3_prepare_v2(store_db(store),
					    "SELECT v0_bits, v0, v0_kind FROM v_point", -1, &rows,
					    NULL),
			 SQLITE_OK);
	for (; sqlite3_step(rows) == SQLITE_ROW; count++) {
		uint32_t bits = (uint32_t)sqlite3_column_int64(rows, 0);
		float value;

		memcpy(&value, &bits, sizeof(value));
		if (isnan(value)) {
			ck_assert_int_eq(sqlite3_column_type(rows, 1), SQLITE_NULL);
			ck_assert_str_eq((const char *)sqlite3_column_text(rows, 2), "nan");
		} else {
			ck_assert(sqlite3_column_double(rows, 1) == (double)value);
			ck_assert_str_eq((const char *)sqlite3_column_text(rows, 2), "num");
		}
	}
	ck_assert_int_eq(count, 512);
	sqlite3_finalize(rows);
	OK(store_close(store));
}
END_TEST

START_TEST(functions)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	put_everything(store);
	OK(sql_functions_register(store));
	ASK(store, "SELECT f32(data(data), 0) FROM v_digest WHERE entry = 0", "1.5");
	ASK(store, "SELECT f32(data(data), 3) FROM v_digest WHERE entry = 0", "NULL");
	ASK(store, "SELECT f32(data(data), 4) FROM v_digest WHERE entry = 0", "NULL");
	ASK(store, "SELECT f32_bits(data(data), 1) FROM v_digest WHERE entry = 0", "-2147483648");
	ASK(store, "SELECT f32_text(1036831949)||f32_text(-8388608)||f32_text(-1)", "0.1-infnan");
	ASK(store, "SELECT data(NULL)", "NULL");
	/* Accumulators are found in the bytes kept of the launch, or have bytes of their own. */
	ASK(store, "SELECT f32(data(acc_data), acc_offset / 4 + 1) FROM v_partial WHERE head = 3",
	    "Inf");
	ASK(store,
	    "SELECT (acc_data = (SELECT data FROM v_digest WHERE entry = 0))||acc_offset FROM "
	    "v_partial"
	    " WHERE head = 3",
	    "14");
	ASK(store,
	    "SELECT f32(data(p.acc_data), p.acc_offset / 4 + 2) = f32(data(o.data), 2) FROM "
	    "v_partial p,"
	    " v_op o WHERE head = 4 AND kind = 'upload'",
	    "1");
	OK(store_close(store));
}
END_TEST

START_TEST(cursor)
{
	struct store *store;
	struct store_cursor *c;
	struct store_run info;
	struct event_op op;
	int64_t number, launch;
	float q[512];
	bool end;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	OK(store_open(T, &store));
	OK(store_run_read(store, 1, &info));
	ck_assert(info.complete && info.seed == UINT64_MAX && info.level == LEVEL_POINTS
		  && info.ops == 6);
	ck_assert_str_eq(info.options, "{\"n\":64}");
	store_run_free(&info);
	FAILS(store_run_read(store, 2, &info), STATUS_USAGE, "no run 2");

	OK(store_ops_open(store, 1, &c));
	OK(store_ops_next(c, &op, &number, &launch, &end));
	ck_assert(!end && op.kind == OP_ALLOC && op.alloc->rank == 2 && op.alloc->shape[1] == 64);
	ck_assert(op.alloc->dtype == DTYPE_F32 && !strcmp(op.alloc->name, "q") && op.object == -1);
	OK(store_ops_next(c, &op, &number, &launch, &end));
	srand(7);
	fill_random(q, 512);
	ck_assert(op.kind == OP_UPLOAD && op.bytes == 2048 && isnan(op.duration_us));
	ck_assert_mem_eq(op.data, q, 2048);
	OK(store_ops_next(c, &op, &number, &launch, &end));
	ck_assert(op.pointer_count == 2 && op.pointers[0].buffer == 1
		  && op.pointers[0].offset == 32);
	ck_assert(op.pointers[1].at == 8 && op.pointers[1].buffer == 0);
	OK(store_ops_next(c, &op, &number, &launch, &end));
	ck_assert(op.kind == OP_COPY && op.from_buffer == 2 && op.from_offset == 12
		  && op.offset == 4);
	OK(store_ops_next(c, &op, &number, &launch, &end));
	ck_assert(op.kind == OP_FILL && op.pattern == 0xdeadbeef);
	OK(store_ops_next(c, &op, &number, &launch, &end));
	ck_assert(op.kind == OP_LAUNCH && number == 5 && launch == 0 && op.stream == 2);
	ck_assert(op.duration_us == 3.25 && op.launch->grid[2] == 4 && op.launch->block[1] == 2);
	ck_assert(op.launch->layer == 3 && op.launch->arg_count == 5 && !op.launch->attributes);
	ck_assert(op.launch->args[0].buffer == 1 && op.launch->args[0].offset == 16);
	ck_assert(op.launch->args[2].bits == 17 && op.launch->args[2].live);
	ck_assert_str_eq(op.launch->args[3].name, "scale");
	ck_assert_mem_eq(op.launch->args[4].blob, "0123456789abcdef", 16);
	ck_assert(op.launch->args[4].pointer_count == 1
		  && op.launch->args[4].pointers[0].offset == 64);
	OK(store_ops_next(c, &op, &number, &launch, &end));
	ck_assert(end);
	store_ops_close(c);
	OK(store_close(store));
}
END_TEST

START_TEST(calls_once)
{
	struct store *store;
	int64_t run, launch;

	OK(store_create(NULL, NULL, &store));
	run = begin_run(store);
	for (int i = 0; i < 6; i++)
		put_launch(store, run, i / 3, NULL, &launch);
	ck_assert_int_eq(launch, 5);
	ASK(store, "SELECT count(*) FROM v_launch", "6");
	ASK(store, "SELECT count(*) FROM v_arg WHERE kind = 'blob'", "6");
	ASK(store, "SELECT count(*) FROM t_call", "2");
	OK(store_close(store));
}
END_TEST

/* --- bytes --- */

START_TEST(big_and_equal_data)
{
	size_t count = 300000;
	float *values = xmalloc(count);
	struct store *store;
	int64_t run;
	void *bytes;
	size_t got;

	fill_random(values, count / 4);
	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	for (int i = 0; i < 20; i++)
		put_op(store, run,
		       (struct event_op){
			       .kind = OP_UPLOAD, .buffer = 1, .bytes = count, .data = values },
		       NULL, NULL);
	put_op(store, run,
	       (struct event_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 0, .data = values },
	       NULL, NULL);
	/* Also from a store that is being written. */
	OK(store_data(store, 1, &bytes, &got));
	ck_assert_uint_eq(got, count);
	ck_assert_mem_eq(bytes, values, count);
	free(bytes);
	OK(store_close(store));
	ck_assert_int_lt(size_of(T), 300000 * 86 / 100 + 200000);
	OK(store_open(T, &store));
	OK(store_data(store, 1, &bytes, &got));
	ck_assert_uint_eq(got, count);
	ck_assert_mem_eq(bytes, values, count);
	free(bytes);
	OK(store_data(store, 2, &bytes, &got));
	ck_assert_uint_eq(got, 0);
	free(bytes);
	FAILS(store_data(store, 3, &bytes, &got), STATUS_DAMAGED, "data 3");
	OK(store_close(store));
	free(values);
}
END_TEST

START_TEST(small_uploads_compress)
{
	struct store *store;
	long empty, full;
	float values[256];
	int64_t run;

	OK(store_create(T, NULL, &store));
	put_uploads(store, 1, 1);
	OK(store_close(store));
	empty = size_of(T);
	unlink(T);
	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	for (int i = 0; i < 2000; i++) {
		fill_random(values, 256);
		put_op(store, run, (struct event_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 1024,
			.data = values }, NULL, NULL);
		if (i % 50 == 0)
			OK(store_commit(store));
	}
	OK(store_close(store));
	full = size_of(T) - empty;
	/* 84.4 % of the bytes, and at most 100 bytes for each upload to find them. */
	ck_assert_msg(full < 2000 * (1024 * 855 / 1000 + 100), "%ld bytes", full);
}
END_TEST

START_TEST(points_are_small)
{
	enum { COUNT = 100000, BLOCKS = 25, THREADS = 64 };
	struct event_point *points = xmalloc(sizeof(*points) * BLOCKS * THREADS);
	struct store *store;
	int64_t run, launch;
	long before;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	OK(store_commit(store));
	before = size_of(T);
	srand(5);
	for (int i = 0; i < COUNT / (BLOCKS * THREADS); i++) {
		put_launch(store, run, 0, NULL, &launch);
		for (uint32_t k = 0; k < BLOCKS * THREADS; k++)
			points[k] = (struct event_point){
				k / THREADS,
				k % THREADS,
				0,
				"score",
				2,
				{ 0x3f000000u + (uint32_t)rand() % 0xffffff,
				  0x3e000000u + (uint32_t)rand() % 0xffffff }
			};
		OK(store_points(store, run, launch, points, BLOCKS * THREADS, 0));
	}
	OK(store_close(store));
	ck_assert_msg(size_of(T) - before < 30L * COUNT, "%ld bytes", size_of(T) - before);
	free(points);
}
END_TEST

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

	/* With force the old file stays until the first commit of the new one. */
	OK(store_create(T, &(struct store_options){ .force = true }, &store));
	begin_run(store);
	OK(store_open(T, &other));
	ASK(other, "SELECT ops||complete FROM v_run", "21");
	OK(store_close(other));
	OK(store_commit(store));
	OK(store_open(T, &other));
	ASK(other, "SELECT ops||complete FROM v_run", "00");
	OK(store_close(other));
	OK(store_close(store));

	/* Two that began at the same time: the first commit gets the name. */
	unlink(T);
	OK(store_create(T, NULL, &store));
	begin_run(store);
	ck_assert_int_eq(close(open(T, O_CREAT | O_WRONLY, 0666)), 0);
	FAILS(store_commit(store), STATUS_USAGE, "exists");
	FAILS(store_close(store), STATUS_IO, "exists");
	ck_assert_int_eq(size_of(T), 0);
}
END_TEST

START_TEST(nothing_to_say)
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
	ASK(store, "SELECT group_concat(run||':'||ops) FROM v_run", "1:300,2:300,3:6");
	OK(sql_functions_register(store));
	ASK(store,
	    "SELECT count(*) FROM v_op a JOIN v_op b ON a.run = 1 AND b.run = 2 AND a.op = b.op"
	    " WHERE data(a.data) = data(b.data)",
	    "300");
	OK(store_close(store));
	/* The same bytes are not stored again. */
	ck_assert_int_lt(size_of(T), once + 300 * 256 / 2);
}
END_TEST

/* --- differences, dumps --- */

static void put_diff_run(struct store *store, uint64_t digest, uint32_t value, uint32_t max)
{
	int64_t run = begin_run(store), op, launch;

	put_launch(store, run, 1, &op, &launch);
	OK(store_digests(store, run, op, false, &(struct event_digest){ 1, 0, 16, 42, NULL }, 1));
	OK(store_digests(store, run, op, true, &(struct event_digest){ 1, 0, 16, digest, NULL },
			 1));
	OK(store_partials(store, run, launch,
			  &(struct event_partial){ 0, 3, 1, 2, 0, 4, max, 1, 0, 1, NULL, 0 }, 1));
	OK(store_points(store, run, launch,
			(const struct event_point[]){
				{ 0, 1, 0, "score", 2, { 0x3f800000, value } },
				{ 0, 2, 0, "score", 1, { 0x7fc00000 | run } },
			},
			2, 0));
}

START_TEST(diff_view)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	put_diff_run(store, 1, 5, 0x7fffffff);
	put_diff_run(store, 1, 5, 0xffc00000);
	ASK(store, "SELECT count(*) FROM v_diff", "0");
	put_diff_run(store, 2, 6, 0);
	ASK(store,
	    "SELECT group_concat(run_a||run_b||what||coalesce(place, '')||coalesce(name, "
	    "'')||a||','||b, ' ')"
	    " FROM (SELECT * FROM v_diff WHERE run_a = 1 ORDER BY what)",
	    "13partialslot 0 head 3 chunk 2max2147483647,0 13pointthread 1 p0score v15,6 "
	    "13step1,2");
	ASK(store, "SELECT count(*) FROM v_diff", "6");
	OK(store_close(store));
}
END_TEST

static char *dump_of(struct store *store)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	OK(dump_logical(store, out));
	fclose(out);
	return text;
}

/* Page packing, which commits change, and clocks do not show in a dump; contents do. */
START_TEST(dump)
{
	struct store *a, *b;
	char *dump_a, *dump_b;

	OK(store_create(NULL, NULL, &a));
	OK(store_create(NULL, NULL, &b));
	put_uploads(a, 200, 1000);
	put_uploads(b, 200, 3);
	dump_a = dump_of(a);
	dump_b = dump_of(b);
	ck_assert_str_eq(dump_a, dump_b);
	ck_assert_ptr_null(strstr(dump_a, "2026"));
	ck_assert_ptr_nonnull(strstr(dump_a, "v_op\trun=1\top=199\tkind=upload\t"));
	free(dump_a);
	free(dump_b);
	put_everything(a);
	dump_a = dump_of(a);
	/* One bit of one upload. */
	ck_assert_int_eq(sqlite3_exec(store_db(a), "UPDATE t_op SET data = data + 1 WHERE op = 7",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	dump_b = dump_of(a);
	ck_assert_str_ne(dump_a, dump_b);
	ck_assert_ptr_nonnull(strstr(dump_a, "v_point\trun=2\tlaunch=0\tblock=2\twarp=1\tlane=1"));
	free(dump_a);
	free(dump_b);
	OK(store_close(a));
	OK(store_close(b));
}
END_TEST

/* --- damage --- */

static void write_file(const char *path, const void *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
	ck_assert_int_eq(fclose(file), 0);
}

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
	FAILS(store_open(T, &store), STATUS_DAMAGED, "format 99; this one reads format 1");
	change("PRAGMA user_version = 1; DROP VIEW v_op");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "has no v_op");
	change("CREATE VIEW v_op AS SELECT run FROM t_run");
	FAILS(store_open(T, &store), STATUS_DAMAGED, "v_op has other columns");
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
		{ "UPDATE t_call SET grid_x = -1", "bad launch" },
		{ "UPDATE t_arg SET buffer = -1 WHERE position = 0", "bad argument" },
		{ "UPDATE t_buffer SET dtype = 'f12'", "bad buffer" },
		{ "UPDATE t_buffer SET shape = '[8'", "bad buffer" },
		{ "DELETE FROM t_buffer", "buffer is missing" },
	};
	struct store *store;
	struct store_cursor *c;
	struct event_op op;
	int64_t number, launch;
	bool end = false;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum status status = STATUS_OK;

		OK(store_create(NULL, NULL, &store));
		put_everything(store);
		/* Writes out the pages, so that the change is not overwritten. */
		OK(store_commit(store));
		ck_assert_int_eq(sqlite3_exec(store_db(store), cases[i].sql, NULL, NULL, NULL),
				 SQLITE_OK);
		OK(store_ops_open(store, 1, &c));
		do
			status = store_ops_next(c, &op, &number, &launch, &end);
		while (status == STATUS_OK && !end);
		ck_assert_msg(status == STATUS_DAMAGED && strstr(error_text(), cases[i].text),
			      "%s: %d %s", cases[i].sql, status, status ? error_text() : "");
		store_ops_close(c);
		OK(store_close(store));
	}
}
END_TEST

/* Reads all there is; any status will do but no crash. */
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
		struct event_op op;
		int64_t number, launch;
		bool end = false;

		if (store_ops_open(store, run, &c) != STATUS_OK)
			continue;
		while (store_ops_next(c, &op, &number, &launch, &end) == STATUS_OK && !end)
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

/* --- disk full, kills --- */

START_TEST(disk_full)
{
	struct store *store, *other;
	int64_t run;
	float values[256];
	enum status status = STATUS_OK;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	OK(store_commit(store));
	sqlite3_exec(store_db(store), "PRAGMA max_page_count = 120", NULL, NULL, NULL);
	for (int i = 0; i < 10000 && status == STATUS_OK; i++) {
		fill_random(values, 256);
		status = store_op(store, run, &(struct event_op){ .kind = OP_UPLOAD, .buffer = 1,
			.bytes = 1024, .data = values, .object = -1 }, NULL, NULL);
		if (status == STATUS_OK && i % 10 == 9)
			status = store_commit(store);
	}
	ck_assert_int_eq(status, STATUS_IO);
	ck_assert_ptr_nonnull(strstr(error_text(), T ": disk full"));
	FAILS(store_commit(store), STATUS_IO, "disk full");
	FAILS(store_close(store), STATUS_IO, "disk full");
	OK(store_open(T, &other));
	ASK(other, "SELECT ops > 10 AND ops % 10 = 0 AND complete = 0 FROM v_run", "1");
	OK(store_close(other));
}
END_TEST

/* The child of the kill test: writes for ever, and says after each commit what it holds. */
static void write_until_killed(int to)
{
	struct store *store;
	int64_t run;
	float values[256];

	if (store_create(T, NULL, &store) != STATUS_OK)
		_exit(1);
	run = begin_run(store);
	for (int32_t i = 1;; i++) {
		fill_random(values, 256);
		if (store_op(store, run,
			     &(struct event_op){ .kind = OP_UPLOAD,
						 .buffer = 1,
						 .bytes = 1024,
						 .data = values,
						 .object = -1 },
			     NULL, NULL)
		    != STATUS_OK)
			_exit(1);
		if (i % 7 == 0
		    && (store_commit(store) != STATUS_OK || write(to, &i, sizeof(i)) < 0))
			_exit(1);
	}
}

static void check_after_kill(int32_t committed)
{
	struct store *store;
	struct store_run info;
	int64_t last;
	void *bytes;
	size_t count;

	if (!exists(T)) {
		ck_assert_int_eq(committed, 0);
		return;
	}
	OK(store_open(T, &store));
	OK(store_run_read(store, 1, &info));
	/* One commit more may have been made than was told. */
	ck_assert(!info.complete && (info.ops == committed || info.ops == committed + 7));
	store_run_free(&info);
	for (last = 1; last <= info.ops; last++) {
		OK(store_data(store, last, &bytes, &count));
		free(bytes);
	}
	ck_assert_int_eq(store_data(store, last, &bytes, &count), STATUS_DAMAGED);
	OK(store_close(store));
	/* One that was not used yet when the kill came stays, and does no harm. */
	unlink(T "-journal");
}

START_TEST(kills)
{
	char temporary[64];
	int32_t committed, heard;
	int ends[2];
	pid_t child;

	srand(13);
	for (int i = 0; i < 50; i++) {
		ck_assert_int_eq(pipe(ends), 0);
		child = fork();
		ck_assert_int_ge(child, 0);
		if (child == 0)
			write_until_killed(ends[1]);
		close(ends[1]);
		usleep((useconds_t)(rand() % 60000));
		ck_assert_int_eq(kill(child, SIGKILL), 0);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		for (committed = 0; read(ends[0], &heard, sizeof(heard)) == sizeof(heard);)
			committed = heard;
		close(ends[0]);
		check_after_kill(committed);
		unlink(T);
		/* Killed before its first commit, it left these. */
		snprintf(temporary, sizeof(temporary), "%s.tmp.%d", T, (int)child);
		unlink(temporary);
		strcat(temporary, "-journal");
		unlink(temporary);
	}
}
END_TEST

/* A journal in the state that a kill in the middle of a commit leaves. */
START_TEST(hot_journal)
{
	struct store *store;
	sqlite3 *db;
	pid_t child;

	OK(store_create(T, NULL, &store));
	put_uploads(store, 200, 1000);
	OK(store_close(store));
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		/* A cache of a few pages makes SQLite write to the file before it commits. */
		if (sqlite3_open(T, &db) != SQLITE_OK
		    || sqlite3_exec(
			       db,
			       "PRAGMA cache_size = 2; BEGIN; DELETE FROM t_op; DELETE FROM t_page;"
			       "UPDATE t_piece SET page = 0",
			       NULL, NULL, NULL)
			       != SQLITE_OK)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(exists(T "-journal"));
	OK(store_open(T, &store));
	ASK(store, "SELECT ops FROM v_run", "200");
	OK(store_close(store));
	ck_assert(!exists(T "-journal"));
}
END_TEST

START_TEST(read_only_media)
{
	struct store *store;

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	ck_assert_int_eq(chmod(T, 0444), 0);
	ck_assert_int_eq(chmod(".", 0555), 0);
	OK(store_open(T, &store));
	ASK(store, "SELECT count(*) FROM v_op", "6");
	OK(store_close(store));
	ck_assert_int_eq(chmod(".", 0755), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("store");
	TCase *tcase = tcase_create("store");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, views);
	tcase_add_test(tcase, floats);
	tcase_add_test(tcase, floats_exact);
	tcase_add_test(tcase, functions);
	tcase_add_test(tcase, cursor);
	tcase_add_test(tcase, calls_once);
	tcase_add_test(tcase, big_and_equal_data);
	tcase_add_test(tcase, small_uploads_compress);
	tcase_add_test(tcase, points_are_small);
	tcase_add_test(tcase, existing_file);
	tcase_add_test(tcase, nothing_to_say);
	tcase_add_test(tcase, append);
	tcase_add_test(tcase, diff_view);
	tcase_add_test(tcase, dump);
	tcase_add_test(tcase, foreign_files);
	tcase_add_test(tcase, truncated);
	tcase_add_test(tcase, damaged_rows);
	tcase_add_test(tcase, fuzz);
	tcase_add_test(tcase, disk_full);
	tcase_add_test(tcase, kills);
	tcase_add_test(tcase, hot_journal);
	tcase_add_test(tcase, read_only_media);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
