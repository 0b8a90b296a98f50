/* test_step_rows.c - lines of keys and gaps on the Step screen: no share of the row disappears. */
#include "config.h"

#include "tests/support.h"

#include <math.h>
#include <stdlib.h>

#include "tui/views/step/step.h"

#define CHUNKS 40
#define KEYS 32                         /* of a chunk */
#define BIG 17                          /* the chunk with nearly all of the weight */

static struct step_chunk chunks[CHUNKS];
static struct step step;

static void make_step(int64_t chosen)
{
	step = (struct step){ .chunks = chunks, .count = CHUNKS, .live = CHUNKS,
			      .keys = CHUNKS * KEYS, .chosen = chosen };
	for (int i = 0; i < CHUNKS; i++)
		chunks[i] = (struct step_chunk){
			.number = i, .begin = i * KEYS, .end = (i + 1) * KEYS,
			.share = i == BIG ? 0.961 : 0.001,
		};
}

static double total_share(const struct step_row *rows, int64_t count)
{
	double total = 0.0;

	for (int64_t i = 0; i < count; i++)
		total += rows[i].share;
	return total;
}

static bool is_shown(const struct step_row *rows, int64_t count, int64_t key)
{
	for (int64_t i = 0; i < count; i++)
		if (key >= rows[i].begin && key < rows[i].end)
			return !rows[i].gap;
	return false;
}

/* Checks that rows cover all keys once, in order. */
static void assert_complete(const struct step_row *rows, int64_t count)
{
	int64_t next = 0;

	for (int64_t i = 0; i < count; i++) {
		ck_assert_int_eq(rows[i].begin, next);
		ck_assert_int_gt(rows[i].end, rows[i].begin);
		next = rows[i].end;
	}
	ck_assert_int_eq(next, CHUNKS * KEYS);
	ck_assert(fabs(total_share(rows, count) - 1.0) < 1e-9);
}

START_TEST(everything_is_shown_where_it_fits)
{
	struct step_row *rows;
	int64_t count;

	make_step(-1);
	step_rows(&step, KEYS, 0, &rows, &count);
	ck_assert_int_eq(count, CHUNKS);
	assert_complete(rows, count);
	for (int64_t i = 0; i < count; i++)
		ck_assert(!rows[i].gap && rows[i].first);
	free(rows);
	step_rows(&step, 24, 0, &rows, &count);
	ck_assert_int_eq(count, 2 * CHUNKS);
	ck_assert(rows[0].first && !rows[1].first);
	assert_complete(rows, count);
	free(rows);
}
END_TEST

START_TEST(gaps_keep_the_share_of_what_is_left_out)
{
	for (int64_t lines = 1; lines <= CHUNKS; lines++) {
		struct step_row *rows;
		int64_t count;

		make_step(5);
		step_rows(&step, KEYS, lines, &rows, &count);
		ck_assert_int_le(count, lines);
		assert_complete(rows, count);
		free(rows);
	}
}
END_TEST

/* The chosen chunk first, then the newest key, then the largest share. */
START_TEST(what_matters_stays)
{
	struct step_row *rows;
	int64_t count;

	make_step(5);
	step_rows(&step, KEYS, 3, &rows, &count);
	ck_assert(is_shown(rows, count, 5 * KEYS));
	free(rows);
	step_rows(&step, KEYS, 6, &rows, &count);
	ck_assert(is_shown(rows, count, 5 * KEYS));
	ck_assert(is_shown(rows, count, CHUNKS * KEYS - 1));
	ck_assert(is_shown(rows, count, BIG * KEYS));
	free(rows);
}
END_TEST

START_TEST(a_nan_is_shown_first)
{
	struct step_row *rows;
	int64_t count;

	make_step(-1);
	chunks[30].share = NAN;
	step_rows(&step, KEYS, 5, &rows, &count);
	ck_assert(is_shown(rows, count, 30 * KEYS));
	free(rows);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("step_rows");

	tcase_add_test(tests, everything_is_shown_where_it_fits);
	tcase_add_test(tests, gaps_keep_the_share_of_what_is_left_out);
	tcase_add_test(tests, what_matters_stays);
	tcase_add_test(tests, a_nan_is_shown_first);
	return run_suite("step_rows", tests);
}
