/* test_store.c - reads back a written trace through views, cursor and dump, and checks its size.
 *
 * Tests of the file itself are in test_store_file.c.
 */
#include "config.h"

#include "tests/dump_text.h"
#include "tests/trace_file.h"

#include "traces/digest.h"
#include "traces/store/sql_functions.h"

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
	QUERY(store, "SELECT device||level||complete||ended||ops||launches||steps FROM v_run",
	      "simpoints1OK611");
	QUERY(store, "SELECT seed FROM v_run", "-1");
	QUERY(store, "SELECT group_concat(kernel||entry||file||source) FROM v_source",
	      "flash_decode_chunk0k.cuKERNEL x,flash_decode_chunk1k.cuhy,other0k.cuhy");
	QUERY(store, "SELECT count(*) FROM t_text", "2");
	QUERY(store, "SELECT layers FROM v_model", "4");
	QUERY(store, "SELECT attention||path||rung||kv_dtype||queries||window||softcap"
	      "||softcap_kind||lse||coalesce(sinks, ' -')||coalesce(page, ' -') FROM v_attention",
	      "0ladder9bf16280.5num1 - -");
	QUERY(store, "SELECT group_concat(kind) FROM v_op",
	      "alloc,upload,upload_pointers,copy,fill,launch");
	QUERY(store, "SELECT count(*) FROM v_op WHERE start_us IS NULL AND duration_us IS NULL",
	      "5");
	QUERY(store, "SELECT pattern FROM v_op WHERE kind = 'fill'", "3735928559");
	QUERY(store,
	      "SELECT "
	      "kernel||grid_z||block_y||shared_bytes||layer||stream||step||dropped||duration_us"
	      " FROM v_launch WHERE run = 1 AND launch = 3",
	      "flash_decode_chunk42832030053.25");
	QUERY(store, "SELECT group_concat(coalesce(value, 'null')) FROM v_arg",
	      "null,null,17,0.125,null");
	QUERY(store, "SELECT group_concat(coalesce(buffer, 'null')) FROM v_arg",
	      "1,null,null,null,null");
	QUERY(store, "SELECT group_concat(coalesce(position, 'up')||'@'||at) FROM v_pointer",
	      "up@0,up@8,4@8");
	QUERY(store, "SELECT name||dtype||shape||bytes||coalesce(freed_op, 'kept') FROM v_buffer",
	      "qf32[8,64]2048kept");
	QUERY(store, "SELECT group_concat(entry||buffer||digest||launch||step) FROM v_digest",
	      "014230,124330");
	QUERY(store, "SELECT group_concat(tensor||position||coalesce(source_op, 'null')) FROM v_kv",
	      "k171,v17null");
	QUERY(store, "SELECT factor||sum||weight FROM v_reduce", "1.02.01.0");
	QUERY(store, "SELECT group_concat(byte||coalesce(logit, 'null')||logit_kind) FROM v_token",
	      "97nullnone,987.25num");
	QUERY(store, "SELECT first_op||last_op FROM v_step", "15");
	QUERY(store, "SELECT count(*) FROM v_access", "0");
	QUERY(store, "SELECT count(*) FROM v_line", "0");
	QUERY(store, "SELECT count(*) FROM v_finding", "0");
	QUERY(store, "SELECT count(*) FROM v_diff", "0");
	OK(store_close(store));
}
END_TEST

START_TEST(floats)
{
	struct store *store;

	OK(store_create(NULL, NULL, &store));
	put_everything(store);
	QUERY(store, "SELECT max||max_kind FROM v_partial WHERE head = 3 AND chunk = 0", "2.5num");
	QUERY(store,
	      "SELECT sum = 1.401298464324817e-45 FROM v_partial WHERE head = 3 AND chunk = 0",
	      "1");
	QUERY(store, "SELECT max = -9e999 AND max_kind = 'inf' AND sum = 0 AND empty"
	      " AND lse IS NULL AND acc_data IS NULL FROM v_partial WHERE head = 3 AND chunk = 3",
	      "1");
	QUERY(store,
	      "SELECT max IS NULL AND max_kind = 'nan' AND sum_bits = -2147483648 AND sum_kind = "
	      "'num'"
	      " FROM v_partial WHERE head = 4",
	      "1");
	/* Three empty chunks are one row of the table and three of the view. */
	QUERY(store,
	      "SELECT group_concat(chunk||':'||key_begin||':'||key_end) FROM v_partial WHERE"
	      " head = 3",
	      "0:0:4,1:4:4,2:8:4,3:12:4");
	QUERY(store, "SELECT count(*) FROM t_partial", "3");
	QUERY(store, "SELECT block||','||warp||','||lane||','||sequence||name||count FROM v_point",
	      "2,1,1,0softmax3");
	QUERY(store, "SELECT v0||v0_kind||v2_kind||v3_kind FROM v_point WHERE sequence = 0",
	      "-1.5numinfnone");
	QUERY(store,
	      "SELECT v1 = 1.401298464324817e-45 AND v2 = -9e999 FROM v_point WHERE sequence = 0",
	      "1");
	QUERY(store,
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
	struct row_point points[512];
	struct store *store;
	sqlite3_stmt *rows;
	int count = 0;
	int64_t run;

	OK(store_create(NULL, NULL, &store));
	run = begin_run(store);
	put_launch(store, run, 0, 0, NULL);
	for (uint32_t i = 0; i < 512; i++)
		points[i] = (struct row_point){ 0, i & 63, i >> 6, "p", 1,
			{ i << 23 | (i * 2654435761u >> 9) } };
	OK(store_points(store, run, 0, 64, points, 512, 0));
	ck_assert_int_eq(sqlite3_prepare_v2(store_db(store),
					    "SELECT v0_bits, v0, v0_kind FROM v_point", -1, &rows,
					    NULL),
			 SQLITE_OK);
	for (; sqlite3_step(rows) == SQLITE_ROW; count++) {
		uint32_t bits = (uint32_t)sqlite3_column_int64(rows, 0);
		float value;

		memcpy(&value, &bits, sizeof value);
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
	QUERY(store, "SELECT f32(data(data), 0) FROM v_digest WHERE entry = 0", "1.5");
	QUERY(store, "SELECT f32(data(data), 3) FROM v_digest WHERE entry = 0", "NULL");
	QUERY(store, "SELECT f32(data(data), 4) FROM v_digest WHERE entry = 0", "NULL");
	QUERY(store, "SELECT f32_bits(data(data), 1) FROM v_digest WHERE entry = 0", "-2147483648");
	QUERY(store, "SELECT f32_text(1036831949)||f32_text(-8388608)||f32_text(-1)", "0.1-infnan");
	QUERY(store, "SELECT data(NULL)", "NULL");
	/* An accumulator lies in the recorded output of the launch or has its own data. */
	QUERY(store, "SELECT f32(data(acc_data), acc_offset / 4 + 1) FROM v_partial WHERE head = 3",
	      "Inf");
	QUERY(store,
	      "SELECT (acc_data = (SELECT data FROM v_digest WHERE entry = 0))||acc_offset"
	      " FROM v_partial WHERE head = 3",
	      "14");
	QUERY(store,
	      "SELECT f32(data(p.acc_data), p.acc_offset / 4 + 2) = f32(data(o.data), 2) "
	      "FROM v_partial p, v_op o WHERE head = 4 AND kind = 'upload'",
	      "1");
	OK(store_close(store));
}
END_TEST

START_TEST(cursor)
{
	struct store *store;
	struct store_cursor *c;
	struct store_run info;
	struct row_op op;
	int64_t number;
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
	OK(store_ops_next(c, &op, &number, &end));
	ck_assert(!end && op.kind == OP_ALLOC && op.alloc->rank == 2 && op.alloc->shape[1] == 64);
	ck_assert(op.alloc->dtype == DTYPE_F32 && !strcmp(op.alloc->name, "q") && op.object == -1);
	OK(store_ops_next(c, &op, &number, &end));
	srand(7);
	fill_random(q, 512);
	ck_assert(op.kind == OP_UPLOAD && op.bytes == 2048 && isnan(op.duration_us));
	ck_assert_mem_eq(op.data, q, 2048);
	OK(store_ops_next(c, &op, &number, &end));
	ck_assert(op.pointer_count == 2 && op.pointers[0].buffer == 1
		  && op.pointers[0].offset == 32);
	ck_assert(op.pointers[1].at == 8 && op.pointers[1].buffer == 0);
	OK(store_ops_next(c, &op, &number, &end));
	ck_assert(op.kind == OP_COPY && op.from_buffer == 1 && op.from_offset == 12
		  && op.offset == 4);
	OK(store_ops_next(c, &op, &number, &end));
	ck_assert(op.kind == OP_FILL && op.pattern == 0xdeadbeef);
	OK(store_ops_next(c, &op, &number, &end));
	ck_assert(op.kind == OP_LAUNCH && number == 5 && op.launch->number == 3);
	ck_assert(op.duration_us == 3.25 && op.launch->grid[2] == 4 && op.launch->block[1] == 2);
	ck_assert(op.launch->layer == 3 && op.launch->arg_count == 5 && !op.launch->attributes);
	ck_assert(op.launch->args[0].buffer == 1 && op.launch->args[0].offset == 16);
	ck_assert(op.launch->args[2].bits == 17 && op.launch->args[2].live);
	ck_assert_str_eq(op.launch->args[3].name, "scale");
	ck_assert_mem_eq(op.launch->args[4].blob, "0123456789abcdef", 16);
	ck_assert(op.launch->args[4].pointer_count == 1
		  && op.launch->args[4].pointers[0].offset == 64);
	OK(store_ops_next(c, &op, &number, &end));
	ck_assert(end);
	store_ops_close(c);
	OK(store_close(store));
}
END_TEST

START_TEST(equal_calls_are_stored_once)
{
	struct store *store;
	int64_t run;

	OK(store_create(NULL, NULL, &store));
	run = begin_run(store);
	for (int i = 0; i < 6; i++)
		put_launch(store, run, i, i / 3, NULL);
	QUERY(store, "SELECT count(*) FROM v_launch", "6");
	QUERY(store, "SELECT count(*) FROM v_arg WHERE kind = 'blob'", "6");
	QUERY(store, "SELECT count(*) FROM t_call", "2");
	OK(store_close(store));
}
END_TEST

/* The caller numbers launches: gaps are allowed (--log-at), repetition is not. */
START_TEST(launch_numbers)
{
	const struct row_launch repeated = { .number = 12, .kernel = "k" };
	struct store *store;
	int64_t run;

	OK(store_create(NULL, NULL, &store));
	run = begin_run(store);
	put_launch(store, run, 10, 0, NULL);
	put_launch(store, run, 12, 0, NULL);
	FAILS(store_op(store, run, &(struct row_op){ .kind = OP_LAUNCH, .launch = &repeated },
		       NULL),
	      STATUS_INTERNAL, "expected a launch number above 12, got 12");
	FAILS(store_op(store, run, &(struct row_op){ .kind = OP_LAUNCH }, NULL),
	      STATUS_INTERNAL, "launch has no kernel");
	QUERY(store, "SELECT group_concat(launch) FROM v_launch", "10,12");
	QUERY(store, "SELECT launches FROM v_run", "2");
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
		       (struct row_op){
			       .kind = OP_UPLOAD, .buffer = 1, .bytes = count, .data = values },
		       NULL);
	put_op(store, run,
	       (struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 0, .data = values }, NULL);
	/* Readable while the store is still being written. */
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
		put_op(store, run, (struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 1024,
			.data = values }, NULL);
		if (i % 50 == 0)
			OK(store_commit(store));
	}
	OK(store_close(store));
	full = size_of(T) - empty;
	/* 84.4 % of the bytes, plus at most 100 bytes of index per upload. */
	ck_assert_msg(full < 2000 * (1024 * 855 / 1000 + 100), "%ld bytes", full);
}
END_TEST

START_TEST(points_are_small)
{
	enum { COUNT = 100000, BLOCKS = 25, THREADS = 64 };
	struct row_point *points = xmalloc(sizeof *points * BLOCKS * THREADS);
	struct store *store;
	int64_t run;
	long before;

	OK(store_create(T, NULL, &store));
	run = begin_run(store);
	OK(store_commit(store));
	before = size_of(T);
	srand(5);
	for (int i = 0; i < COUNT / (BLOCKS * THREADS); i++) {
		put_launch(store, run, i, 0, NULL);
		for (uint32_t k = 0; k < BLOCKS * THREADS; k++)
			points[k] = (struct row_point){
				k / THREADS,
				k % THREADS,
				0,
				"score",
				2,
				{ 0x3f000000u + (uint32_t)rand() % 0xffffff,
				  0x3e000000u + (uint32_t)rand() % 0xffffff }
			};
		OK(store_points(store, run, i, THREADS, points, BLOCKS * THREADS, 0));
	}
	OK(store_close(store));
	ck_assert_msg(size_of(T) - before < 30L * COUNT, "%ld bytes", size_of(T) - before);
	free(points);
}
END_TEST

/* --- differences, dumps --- */

static void put_diff_run(struct store *store, uint64_t digest, uint32_t value, uint32_t max)
{
	int64_t run = begin_run(store), op;

	OK(store_step_begin(store, run, 0));
	put_launch(store, run, 0, 1, &op);
	OK(store_step_end(store, run, 0));
	OK(store_digests(store, run, op, false, &(struct row_digest){ 1, 0, 16, 42, NULL }, 1));
	OK(store_digests(store, run, op, true, &(struct row_digest){ 1, 0, 16, digest, NULL },
			 1));
	OK(store_partials(store, run, 0,
			  &(struct row_partial){ 0, 3, 1, 2, 0, 4, max, 1, 0, 1, NULL, 0 }, 1));
	OK(store_points(store, run, 0, 64,
			(const struct row_point[]){
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
	QUERY(store, "SELECT count(*) FROM v_diff", "0");
	put_diff_run(store, 2, 6, 0);
	QUERY(store,
	      "SELECT group_concat(run_a||run_b||what||coalesce(place, '')||coalesce(name, "
	      "'')||a||','||b, ' ')"
	      " FROM (SELECT * FROM v_diff WHERE run_a = 1 ORDER BY what)",
	      "13partialslot 0 head 3 chunk 2max2147483647,0 13pointthread 1 p0score v15,6 "
	      "13step1,2");
	QUERY(store, "SELECT count(*) FROM v_diff", "6");
	OK(store_close(store));
}
END_TEST

/* A dump shows contents, but neither page packing (which depends on commits) nor times. */
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
	ck_assert_ptr_nonnull(strstr(dump_a, "v_point\trun=2\tlaunch=3\tblock=2\twarp=1\tlane=1"));
	free(dump_a);
	free(dump_b);
	OK(store_close(a));
	OK(store_close(b));
}
END_TEST

/* A borrowed statement is not lent twice; a returned one is reset and its bindings cleared. */
START_TEST(cached_statements)
{
	static const char sql[] = "SELECT kernel FROM v_launch WHERE run = ?1";
	sqlite3_stmt *first, *second, *again;
	struct store *store;
	char other[64];

	OK(store_create(T, NULL, &store));
	put_everything(store);
	OK(store_close(store));
	OK(store_open(T, &store));
	ck_assert_int_eq(store_borrow(store, sql, &first), SQLITE_OK);
	sqlite3_bind_int64(first, 1, 1);
	ck_assert_int_eq(sqlite3_step(first), SQLITE_ROW);
	ck_assert_int_eq(store_borrow(store, sql, &second), SQLITE_OK);
	ck_assert_ptr_ne(first, second);
	store_return(store, second);
	ck_assert_str_eq((const char *)sqlite3_column_text(first, 0), "flash_decode_chunk");
	store_return(store, first);
	ck_assert_int_eq(store_borrow(store, sql, &again), SQLITE_OK);
	ck_assert_ptr_eq(again, first);
	ck_assert(!sqlite3_stmt_busy(again));
	ck_assert_int_eq(sqlite3_step(again), SQLITE_DONE);     /* run = NULL */
	store_return(store, again);
	ck_assert_int_ne(store_borrow(store, "SELECT nothing FROM nowhere", &again), SQLITE_OK);
	store_return(store, again);
	/* More statements than the store caches. */
	for (int i = 0; i < 1000; i++) {
		snprintf(other, sizeof other, "SELECT %d", i % 300);
		ck_assert_int_eq(store_borrow(store, other, &again), SQLITE_OK);
		ck_assert_int_eq(sqlite3_step(again), SQLITE_ROW);
		ck_assert_int_eq(sqlite3_column_int(again, 0), i % 300);
		store_return(store, again);
	}
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("store");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, views);
	tcase_add_test(tests, floats);
	tcase_add_test(tests, floats_exact);
	tcase_add_test(tests, functions);
	tcase_add_test(tests, cursor);
	tcase_add_test(tests, equal_calls_are_stored_once);
	tcase_add_test(tests, launch_numbers);
	tcase_add_test(tests, big_and_equal_data);
	tcase_add_test(tests, small_uploads_compress);
	tcase_add_test(tests, points_are_small);
	tcase_add_test(tests, diff_view);
	tcase_add_test(tests, dump);
	tcase_add_test(tests, cached_statements);
	return run_suite("store", tests);
}
