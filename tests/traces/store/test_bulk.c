/* test_bulk.c - traces whose database is built without SQL: the same rows, sums and schema as with
 * it, and trees that SQLite finds nothing wrong with.
 */
#include "config.h"

#include "tests/dump_text.h"
#include "tests/trace_file.h"

#include "base/xalloc.h"

static const struct store_options in_bulk = { .expendable = true };

/* --- rows --- */

/* Long in a table of rowids, and in one that is a tree of its keys. */
static void put_long(struct store *store, int64_t run, size_t bytes)
{
	char *text = xmalloc(bytes + 1);
	const struct row_source sources[] = { { "k.cu", text }, { "k.cuh", "" } };

	memset(text, 'x', bytes);
	text[bytes] = '\0';
	OK(store_model(store, run, &(struct row_model){ .directory = text, .config = "{}" }));
	/* Not in the order of the keys. */
	for (int i = 0; i < 2; i++)
		OK(store_kernel(store, run, &(struct row_kernel){
			.name = i ? "flash_decode_chunk" : "other", .params = text,
			.origin = "cuda_c", .sources = sources, .source_count = 2 }));
	free(text);
}

static void put_node(struct store *store, int64_t run, int number)
{
	const struct row_node node = { .graph = 1, .node = number, .work = OP_LAUNCH,
				       .launch = -1 };
	const struct row_launch launch = {
		.kernel = "other", .grid = { 1 + (uint32_t)number % 3, 1, 1 },
		.block = { 32, 1, 1 }, .cluster = { 1, 1, 1 }, .layer = -1,
	};

	put_op(store, run, (struct row_op){ .kind = OP_GRAPH_NODE, .object = 1, .node = &node,
		.launch = &launch }, NULL);
}

/* A step with rows of most kinds; those of the cache in falling order. */
static void put_step(struct store *store, int64_t run, int step)
{
	const int64_t shape[] = { 8, 8 };
	const struct row_buffer buffer = { (uint32_t)step + 1, "q", DTYPE_F32, 2, shape, 256, 0 };
	float values[64];
	int64_t op;

	put_op(store, run, (struct row_op){ .kind = OP_ALLOC, .buffer = buffer.id, .bytes = 256,
		.alloc = &buffer }, NULL);
	OK(store_step_begin(store, run, step));
	fill_random(values, 64);
	put_op(store, run, (struct row_op){ .kind = OP_UPLOAD, .buffer = 1, .bytes = 256,
		.data = values }, NULL);
	put_node(store, run, step);
	put_launch(store, run, step * 2, step, &op);
	OK(store_digests(store, run, op, false, &(struct row_digest){ 1, 0, 16, 42, NULL }, 1));
	OK(store_digests(store, run, op, true, &(struct row_digest){ 1, 0, 256, 43, NULL }, 1));
	for (int i = 3; i >= 0; i--)
		OK(store_kv(store, run, op, &(struct row_kv){ 'k', 3, 0, i, step, 1, 64, 256,
			-1, 0, 0 }, 1));
	OK(store_token(store, run, &(struct row_token){ step, 0, 1000 - step, 'a', false,
		bits_of(-0.0f) }));
	OK(store_step_end(store, run, step));
}

static int64_t put_steps(struct store *store, int steps, size_t text)
{
	int64_t run = begin_run(store);

	srand(5);
	put_long(store, run, text);
	for (int i = 0; i < steps; i++)
		put_step(store, run, i);
	/* The last step has no end. */
	OK(store_step_begin(store, run, steps));
	return run;
}

/* --- comparing --- */

/* Opens the image of a store that it closes. */
static struct store *open_image(struct store *store)
{
	struct store *image;
	size_t count;
	void *bytes;

	OK(store_image(store, &bytes, &count));
	OK(store_close(store));
	write_file(T, bytes, count);
	sqlite3_free(bytes);
	OK(store_open(T, &image));
	QUERY(image, "PRAGMA integrity_check", "ok");
	return image;
}

/* All sums but those that depend on how pages are packed, and the schema in order. */
static char *sums_of(struct store *store)
{
	char *sums = query_text(store, "SELECT group_concat(run || \"table\" || rows || ' '"
				" || hash, x'0a') FROM (SELECT * FROM t_sum"
				" WHERE \"table\" <> 't_page' ORDER BY run, \"table\")");
	char *schema = query_text(store, "SELECT group_concat(type || name || tbl_name || sql,"
				  " x'0a') FROM (SELECT * FROM sqlite_schema ORDER BY rowid)");
	char *bytes = query_text(store, "SELECT group_concat(n || ' ' || hidden || ' ' || scale)"
				 " FROM (SELECT * FROM t_byte ORDER BY n)");
	char *all = xasprintf("%s\n%s\n%s", sums, schema, bytes);

	free(sums);
	free(schema);
	free(bytes);
	return all;
}

/* What the file of a store has, which it closes. */
static char *content_of(struct store *store)
{
	struct store *image = open_image(store);
	char *dump = dump_of(image), *sums = sums_of(image), *all;

	QUERY(image, "SELECT count(*) > 20 FROM t_sum WHERE run = 1", "1");
	OK(store_close(image));
	all = xasprintf("%s\n%s", dump, sums);
	free(dump);
	free(sums);
	return all;
}

static void check_equal(struct store *stores[2])
{
	char *got = content_of(stores[0]), *wanted = content_of(stores[1]);

	ck_assert_str_eq(got, wanted);
	free(got);
	free(wanted);
}

/* From trees of one page to trees of three levels, and texts up to several pages. */
START_TEST(trees)
{
	static const struct {
		int steps;
		size_t text;
	} sizes[] = { { 0, 0 }, { 1, 480 }, { 2, 500 }, { 7, 2000 }, { 40, 2020 }, { 300, 9000 },
		      { 3000, 200000 } };
	struct store *stores[2];

	for (int i = 0; i < 2; i++) {
		OK(store_create(NULL, i ? NULL : &in_bulk, &stores[i]));
		OK(store_run_end(stores[i], put_steps(stores[i], sizes[_i].steps, sizes[_i].text),
				 "OK", NULL));
	}
	check_equal(stores);
}
END_TEST

/* SQLite gets the rows so far, and what comes later. */
START_TEST(read_while_written)
{
	struct store *stores[2];
	int64_t run;

	for (int i = 0; i < 2; i++) {
		OK(store_create(NULL, i ? NULL : &in_bulk, &stores[i]));
		run = put_steps(stores[i], 30, 10);
		QUERY(stores[i], "SELECT count(*) FROM v_op", "120");
		OK(store_run_end(stores[i], run, "STEPS", "ran out"));
		OK(store_run_end(stores[i], put_steps(stores[i], 60, 3000), "OK", NULL));
	}
	check_equal(stores);
}
END_TEST

START_TEST(two_runs)
{
	struct store *stores[2];

	for (int i = 0; i < 2; i++) {
		OK(store_create(NULL, i ? NULL : &in_bulk, &stores[i]));
		for (int run = 0; run < 2; run++)
			OK(store_run_end(stores[i], put_steps(stores[i], 20 + run, 10), "OK",
					 NULL));
	}
	check_equal(stores);
}
END_TEST

/* A run without an end has no sums. */
START_TEST(unfinished)
{
	struct store *store;

	OK(store_create(NULL, &in_bulk, &store));
	put_steps(store, 3, 10);
	store = open_image(store);
	QUERY(store, "SELECT complete FROM v_run", "0");
	QUERY(store, "SELECT count(*) FROM t_sum", "0");
	OK(store_close(store));
}
END_TEST

START_TEST(keys_are_unique)
{
	struct store *store;
	size_t count;
	void *bytes;

	OK(store_create(NULL, &in_bulk, &store));
	put_steps(store, 3, 10);
	OK(store_token(store, 1, &(struct row_token){ 1, 0, 999, 'b', true, 0 }));
	FAILS(store_image(store, &bytes, &count), STATUS_INTERNAL,
	      "1 rows of t_token have keys of others");
	OK(store_close(store));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("bulk");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, trees, 0, 7);
	tcase_add_test(tests, read_while_written);
	tcase_add_test(tests, two_runs);
	tcase_add_test(tests, unfinished);
	tcase_add_test(tests, keys_are_unique);
	return run_suite("bulk", tests);
}
