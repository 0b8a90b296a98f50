/* test_walk.c - steps through a recorded run: a step back undoes a step forward at every grain. */
#include "tests/support.h"

#include "traces/store/store_index.h"
#include "tui/viewer/viewer_trail.h"

#define STEPS 200

static struct store *store;
static struct view_context context;

static void must(enum status status)
{
	ck_assert_msg(status == STATUS_OK, "%s", error_text());
}

static void open_trace(void)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/tests/h200/demo.twin", getenv("abs_srcdir"));
	must(store_open(path, &store));
	must(store_index_views(store));
	context = (struct view_context){ .store = store, .run = 1, .at = address_none };
}

static void close_trace(void)
{
	must(store_close(store));
}

static struct address parse(const char *text)
{
	struct address at;

	must(address_parse("test", text, &at));
	return at;
}

static void assert_at(const struct address *at, const char *wanted)
{
	char text[ADDRESS_TEXT];

	address_format(at, text);
	ck_assert_str_eq(text, wanted);
}

static bool step(enum walk_grain grain, int direction, struct address *at)
{
	bool moved;

	must(walk_step(&context, grain, direction, at, &moved));
	return moved;
}

static void assert_step(enum walk_grain grain, int direction, const char *from, const char *to)
{
	struct address at = parse(from);

	ck_assert(step(grain, direction, &at));
	assert_at(&at, to);
}

START_TEST(each_step_back_undoes_one_forward)
{
	static const struct {
		enum walk_grain grain;
		const char *from;
	} walks[] = {
		{ WALK_STEP, "L18.b3" }, { WALK_OP, "op 14" }, { WALK_LAUNCH, "L900" },
		{ WALK_BLOCK, "L900.b0" }, { WALK_TILE, "L1018.b1.w0.l0.p1" },
		{ WALK_POINT, "L1018.b1.w0.l0.p0" },
	};

	for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
		struct address path[STEPS], at = parse(walks[i].from);
		int count = 0;

		do
			path[count++] = at;
		while (count < STEPS && step(walks[i].grain, 1, &at));
		ck_assert_int_gt(count, 50);
		at = path[--count];
		while (count-- > 0) {
			ck_assert(step(walks[i].grain, -1, &at));
			ck_assert_msg(address_equal(&at, &path[count]), "walk %zu, step %d", i,
				      count);
		}
	}
}
END_TEST

/* --- from anywhere --- */

static int64_t below(int64_t count)
{
	return rand() % count;
}

/* A random place of the run, of any granularity. */
static struct address random_address(void)
{
	struct address at = address_none;

	switch (below(8)) {
	case 0:
		at.step = below(64);
		return at;
	case 1:
		at.op = below(2635);
		return at;
	}
	at.launch = below(1264);
	if (below(3) > 0)
		at.block = below(8);
	if (at.block >= 0 && below(3) > 0) {
		at.warp = 0;
		at.lane = below(32);
		at.point = below(3) - 1;
	}
	return at;
}

static bool trail(struct trail *t, enum walk_grain grain, const char *table, int direction,
		  struct address *at)
{
	bool moved;

	must(trail_step(&context, t, grain, table, direction, at, &moved));
	return moved;
}

START_TEST(a_step_is_undone_from_any_address)
{
	static const char *const tables[] = { NULL, "v_partial", "v_reduce", "v_kv" };
	int moved = 0;

	srand(5);
	for (int i = 0; i < 1500; i++) {
		struct address from = random_address(), at = from;
		enum walk_grain grain = (enum walk_grain)(i % (WALK_POINT + 1));
		const char *table = grain == WALK_LAUNCH ? tables[below(4)] : NULL;
		int direction = below(2) ? 1 : -1;
		struct trail t = { .count = 0 };
		char text[ADDRESS_TEXT];

		if (!trail(&t, grain, table, direction, &at))
			continue;
		moved++;
		ck_assert(trail(&t, grain, table, -direction, &at));
		address_format(&from, text);
		ck_assert_msg(address_equal(&at, &from), "grain %d, direction %d from %s", grain,
			      direction, text);
	}
	ck_assert_int_gt(moved, 1200);
}
END_TEST

START_TEST(steps_of_many_grains_are_undone_in_turn)
{
	enum { LONG = 60 };

	srand(6);
	for (int i = 0; i < 20; i++) {
		struct address path[LONG + 1] = { random_address() };
		enum walk_grain grains[LONG];
		int directions[LONG], count = 0;
		struct trail t = { .count = 0 };

		for (int tries = 0; tries < LONG; tries++) {
			struct address at = path[count];

			grains[count] = (enum walk_grain)below(WALK_POINT + 1);
			directions[count] = below(3) ? 1 : -1;
			/* A step that undoes the last one is tested above. */
			if (count > 0 && grains[count] == grains[count - 1]
			    && directions[count] != directions[count - 1])
				continue;
			if (trail(&t, grains[count], NULL, directions[count], &at))
				path[++count] = at;
		}
		while (count-- > 0) {
			struct address at = path[count + 1];

			ck_assert(trail(&t, grains[count], NULL, -directions[count], &at));
			ck_assert_msg(address_equal(&at, &path[count]), "walk %d, step %d", i,
				      count);
		}
	}
}
END_TEST

START_TEST(a_trail_that_was_left_is_forgotten)
{
	struct address at = parse("L1018"), wanted = parse("L1018.b1.w0.l0.p1");
	struct trail t = { .count = 0 };

	ck_assert(trail(&t, WALK_TILE, NULL, 1, &at));
	at = wanted;
	ck_assert(trail(&t, WALK_TILE, NULL, -1, &at));
	assert_at(&at, "L1018.b0.w0.l0.p1");
	ck_assert(trail(&t, WALK_TILE, NULL, 1, &at));
	ck_assert(address_equal(&at, &wanted));
}
END_TEST

START_TEST(each_grain_goes_to_its_next_place)
{
	assert_step(WALK_STEP, 1, "L2", "L18");
	assert_step(WALK_STEP, 1, "op 14", "s1");
	assert_step(WALK_OP, 1, "L3", "op 22");
	assert_step(WALK_OP, 1, "s0", "op 14");
	assert_step(WALK_LAUNCH, 1, "op 22", "L4");
	assert_step(WALK_LAUNCH, -1, "op 22", "L3");
	assert_step(WALK_BLOCK, 1, "L2.b23", "L3.b0");
	assert_step(WALK_BLOCK, -1, "L3.b0", "L2.b23");
	assert_step(WALK_POINT, 1, "L1018.b1", "L1018.b1.w0.l0.p0");
	assert_step(WALK_POINT, 1, "L1018.b1.w0.l0.p1", "L1018.b1.w0.l1.p0");
	assert_step(WALK_TILE, 1, "L1018.b1.w0.l0.p1", "L1018.b2.w0.l0.p1");
}
END_TEST

START_TEST(no_step_leaves_the_run)
{
	struct address at = parse("L3");
	bool moved;

	must(walk_end(&context, -1, &at, &moved));
	ck_assert(moved);
	for (int grain = WALK_STEP; grain <= WALK_POINT; grain++)
		ck_assert_msg(!step(grain, 1, &at), "grain %d goes on", grain);
	must(walk_end(&context, 1, &at, &moved));
	assert_at(&at, "op 0");
	for (int grain = WALK_OP; grain <= WALK_POINT; grain++)
		ck_assert_msg(!step(grain, -1, &at), "grain %d goes back", grain);
	assert_at(&at, "op 0");
}
END_TEST

START_TEST(rows_are_found_nearby)
{
	struct address at = parse("L1018.b9");
	bool moved;

	must(walk_to_rows(&context, "v_reduce", &at, &moved));
	assert_at(&at, "L1019.b1");
	must(walk_to_rows(&context, "v_partial", &at, &moved));
	assert_at(&at, "L1018.b1");
	must(walk_rows(&context, "v_partial", 1, &at, &moved));
	assert_at(&at, "L1022.b1");
	must(walk_rows(&context, "v_partial", -1, &at, &moved));
	assert_at(&at, "L1018.b1");
	must(walk_to_rows(&context, "v_finding", &at, &moved));
	ck_assert(!moved);
}
END_TEST

static int interrupt(void *unused)
{
	(void)unused;
	return 1;
}

static bool answers(const char *sql)
{
	return sqlite3_exec(store_db(store), sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* A key may interrupt the building of indexes at any moment; SQLite then also rolls back indexes
 * that were complete. */
START_TEST(indexes_survive_an_interruption)
{
	must(store_index_kv(store));
	sqlite3_progress_handler(store_db(store), 100, interrupt, NULL);
	ck_assert_int_ne(store_index_buffers(store), STATUS_OK);
	sqlite3_progress_handler(store_db(store), 0, NULL, NULL);
	ck_assert(!answers("SELECT 1 FROM w_point LIMIT 1"));
	must(store_index_resume(store));
	ck_assert(!sqlite3_get_autocommit(store_db(store)));
	ck_assert(answers("SELECT 1 FROM w_point LIMIT 1"));
	ck_assert(answers("SELECT 1 FROM v_hit, v_node, t_kernel_count LIMIT 1"));
	must(store_index_kv(store));
	ck_assert(answers("SELECT 1 FROM w_kv LIMIT 1"));
	must(store_index_buffers(store));
	must(store_index_resume(store));
	ck_assert(answers("SELECT 1 FROM w_written, w_kv LIMIT 1"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *tests = tcase_create("walk");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, open_trace, close_trace);
	tcase_add_test(tests, each_step_back_undoes_one_forward);
	tcase_add_test(tests, a_step_is_undone_from_any_address);
	tcase_add_test(tests, steps_of_many_grains_are_undone_in_turn);
	tcase_add_test(tests, a_trail_that_was_left_is_forgotten);
	tcase_add_test(tests, each_grain_goes_to_its_next_place);
	tcase_add_test(tests, no_step_leaves_the_run);
	tcase_add_test(tests, rows_are_found_nearby);
	tcase_add_test(tests, indexes_survive_an_interruption);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
