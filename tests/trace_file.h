/* trace_file.h - for tests of the trace file: a temporary directory, and runs to write.
 *
 * At the end of each test the directory may hold the file T and nothing else: a closed trace is one
 * file, and an operation that is refused leaves none.
 */
#ifndef TESTS_TRACE_FILE_H
#define TESTS_TRACE_FILE_H

#include "tests/support.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "traces/row.h"
#include "traces/store/store.h"

#define T "t.twin"

static char directory[] = "/tmp/test_store.XXXXXX";

static inline void copy_file(const char *from, const char *to)
{
	char block[65536];
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	size_t count;

	ck_assert(in && out);
	while ((count = fread(block, 1, sizeof block, in)) > 0)
		ck_assert_uint_eq(fwrite(block, 1, count, out), count);
	ck_assert(fclose(in) == 0 && fclose(out) == 0);
}

static inline void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

static inline void teardown(void)
{
	unlink(T);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_msg(rmdir(directory) == 0, "%s is not empty", directory);
	strcpy(strrchr(directory, '.') + 1, "XXXXXX");
}

static inline bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static inline long size_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return (long)st.st_size;
}

/* --- making traces --- */

static inline uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

/* Normally distributed random numbers, like activations. */
static inline void fill_random(float *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double u = (rand() + 1.0) / (RAND_MAX + 1.0), v = rand() / (RAND_MAX + 1.0);

		values[i] = (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
	}
}

static inline int64_t begin_run(struct store *store)
{
	const struct row_run run = {
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

static inline void put_op(struct store *store, int64_t run, struct row_op op, int64_t *number)
{
	if (op.kind != OP_LAUNCH)
		op.start_us = op.duration_us = NAN;
	if (!op.object)
		op.object = -1;
	OK(store_op(store, run, &op, number));
}

static inline void put_launch(struct store *store, int64_t run, int64_t number, int position,
			      int64_t *op)
{
	const struct row_pointer pointer = { 8, 1, 64 };
	const struct row_arg args[] = {
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
	const struct row_launch e = {
		.number = number,
		.kernel = "flash_decode_chunk",
		.grid = { 8, 1, 4 },
		.block = { 32, 2, 1 },
		.cluster = { 1, 1, 1 },
		.shared_bytes = 8320,
		.layer = 3,
		.args = args,
		.arg_count = 5,
	};

	put_op(store, run, (struct row_op){
		.kind = OP_LAUNCH, .start_us = 12.5, .duration_us = 3.25, .launch = &e,
	}, op);
}

/* Writes a run with rows of every kind. */
static inline void put_everything(struct store *store)
{
	static const int64_t shape[] = { 8, 64 };
	const struct row_buffer buffer = { 1, "q", DTYPE_F32, 2, shape, 2048, 0 };
	const struct row_pointer table[] = { { 0, 1, 32 }, { 8, 0, 0 } };
	const struct row_source sources[] = { { "k.cu", "KERNEL x" }, { "k.cuh", "y" } };
	const float out[4] = { 1.5f, -0.0f, INFINITY, NAN };
	const uint32_t denormal = 1;
	int64_t run = begin_run(store), op;
	float q[512];

	srand(7);
	fill_random(q, 512);
	OK(store_model(store, run,
		       &(struct row_model){ .directory = "m", .config = "{}", .layers = 4 }));
	OK(store_attention(store, run, &(struct row_attention){
		.path = "ladder", .rung = 9, .kv_dtype = DTYPE_BF16, .queries = 2, .window = 8,
		.softcap_bits = bits_of(0.5f), .lse = true }));
	OK(store_kernel(store, run, &(struct row_kernel){
		.name = "flash_decode_chunk", .params = "[]", .origin = "cuda_c",
		.independent = true, .sources = sources, .source_count = 2 }));
	OK(store_kernel(store, run, &(struct row_kernel){
		.name = "other", .params = "[]", .origin = "cuda_c",
		.sources = sources + 1, .source_count = 1 }));
	put_op(store, run, (struct row_op){ .kind = OP_ALLOC, .buffer = 1, .bytes = 2048,
		.alloc = &buffer }, &op);
	ck_assert_int_eq(op, 0);
	OK(store_step_begin(store, run, 0));
	put_op(store, run,
	       (struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 2048, .data = q }, NULL);
	put_op(store, run, (struct row_op){ .kind = OP_UPLOAD_POINTERS, .buffer = 1, .bytes = 16,
		.pointers = table, .pointer_count = 2 }, NULL);
	put_op(store, run, (struct row_op){ .kind = OP_COPY, .buffer = 1, .offset = 4, .bytes = 8,
		.from_buffer = 1, .from_offset = 12 }, NULL);
	put_op(store, run, (struct row_op){ .kind = OP_FILL, .buffer = 1, .bytes = 8,
		.pattern = 0xdeadbeef }, NULL);
	put_launch(store, run, 3, 17, &op);
	ck_assert_int_eq(op, 5);
	OK(store_digests(store, run, op, false, &(struct row_digest){ 1, 0, 16, 42, out }, 1));
	OK(store_digests(store, run, op, false, &(struct row_digest){ 2, 0, 16, 43, NULL }, 1));
	OK(store_partials(store, run, 3, (const struct row_partial[]){
		{ 0, 3, 1, 0, 0, 4, bits_of(2.5f), denormal, 0.5, 1.0, out + 1, 8 },
		{ 0, 3, 1, 1, 4, 4, bits_of(-INFINITY), 0, NAN, 0, NULL, 0 },
		{ 0, 3, 1, 2, 8, 4, bits_of(-INFINITY), 0, NAN, 0, NULL, 0 },
		{ 0, 3, 1, 3, 12, 4, bits_of(-INFINITY), 0, NAN, 0, NULL, 0 },
		{ 0, 4, 1, 0, 0, 4, 0x7fc00001, 0x80000000, NAN, NAN, q, 12 },
	}, 5));
	OK(store_reduces(store, run, 3, &(struct row_reduce){ 0, 3, 0, 0, 1.0, 2.0 }, 1));
	OK(store_kv(store, run, op, (const struct row_kv[]){
		{ 'k', 3, 0, 0, 17, 1, 64, 256, 1, 0, 0 },
		{ 'v', 3, 0, 0, 17, 1, 64, 256, -1, 0, 0 },
	}, 2));
	OK(store_points(store, run, 3, 64, (const struct row_point[]){
		{ 2, 33, 0, "softmax", 3, { bits_of(-1.5f), bits_of(0x1p-149f), 0xff800000 } },
		{ 2, 33, 1, "score", 1, { 0xffffffff } },
	}, 2, 5));
	OK(store_step_end(store, run, 0));
	OK(store_token(store, run, &(struct row_token){ 0, 0, 0, 'a', true, 0 }));
	OK(store_token(store, run, &(struct row_token){ 0, 0, 1, 'b', false, bits_of(7.25f) }));
	OK(store_run_end(store, run, "OK", NULL));
}

/* Writes a run of `count` uploads of random values, the same in each call, and commits after every
 * `every` uploads. */
static inline void put_uploads(struct store *store, int count, int every)
{
	int64_t run = begin_run(store);
	float values[64];

	srand(3);
	for (int i = 0; i < count; i++) {
		fill_random(values, 64);
		put_op(store, run, (struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 256,
			.data = values }, NULL);
		if (i % every == every - 1)
			OK(store_commit(store));
	}
	OK(store_run_end(store, run, "OK", NULL));
}

/* Returns the first column of a SELECT's first row as text ("NULL" for NULL); the caller frees
 * it. */
static inline char *query_text(struct store *store, const char *sql)
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

#define QUERY(store, sql, expected) \
	do { \
		char *query_answer_ = query_text(store, sql); \
		ck_assert_msg(!strcmp(query_answer_, expected), "%s: expected %s, got %s", sql, \
			      expected, query_answer_); \
		free(query_answer_); \
	} while (0)

#endif
