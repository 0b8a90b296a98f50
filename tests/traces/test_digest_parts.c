/* test_digest_parts.c - digests from sums over parts against digests of all bytes: random contents
 * with NaNs, sizes and changes.
 */
#include "config.h"

#include "tests/support.h"

#include <stdint.h>

#include "base/xalloc.h"
#include "traces/digest.h"
#include "traces/digest_parts.h"

enum { MAX_BYTES = 80000, SIZES = 60, CHANGES = 40 };

static uint32_t random_state;

static size_t pick(size_t min, size_t max)
{
	random_state = random_state * 1664525u + 1013904223u;
	return min + (size_t)((uint64_t)random_state * (max - min + 1) >> 32);
}

/* Half of the words are the simulator's poison, a NaN of every type. */
static void change(unsigned char *bytes, size_t from, size_t count)
{
	for (size_t i = from; i < from + count; i++)
		bytes[i] = (unsigned char)(pick(0, 7) < 4 ? 0xff : pick(0, 255));
}

static void compare(enum dtype type, size_t count)
{
	unsigned char *bytes = xmalloc(count);
	struct digest_parts *parts = digest_parts_new(type, count);

	change(bytes, 0, count);
	for (int i = 0; i < CHANGES; i++) {
		size_t from = pick(0, count - 1), most = i % 2 ? 3000 : 70, changed;

		ck_assert_msg(digest_parts_digest(parts, bytes) == digest_bytes(type, bytes, count),
			      "%s: digest %d of %zu bytes differs", dtype_name(type), i, count);
		/* Often the end, whose bytes count in two places. */
		if (i % 3 == 0)
			from = count - pick(1, 130);
		changed = pick(0, count - from < most ? count - from : most);
		change(bytes, from, changed);
		digest_parts_change(parts, from, changed);
	}
	digest_parts_free(parts);
	free(bytes);
}

START_TEST(they_equal_digests_of_all_bytes)
{
	static const size_t edges[] = { 0, 1, 2, 8, 63, 64, 65, 1023, 1024, 1025, 1087, 1088 };

	random_state = 5;
	for (int type = 0; type < DTYPE_COUNT; type++) {
		for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
			compare((enum dtype)type, DIGEST_PARTS_MIN + edges[i]);
		for (int i = 0; i < SIZES; i++)
			compare((enum dtype)type, pick(DIGEST_PARTS_MIN, MAX_BYTES));
	}
}
END_TEST

START_TEST(only_changes_are_read)
{
	unsigned char bytes[DIGEST_PARTS_MIN] = { 0 };
	struct digest_parts *parts = digest_parts_new(DTYPE_F32, sizeof bytes);
	uint64_t zeros = digest_parts_digest(parts, bytes);

	bytes[5000] = 1;
	ck_assert_uint_eq(digest_parts_digest(parts, bytes), zeros);
	digest_parts_change(parts, 0, 1);
	ck_assert_uint_eq(digest_parts_digest(parts, bytes), zeros);
	digest_parts_change(parts, 5000, 1);
	ck_assert_uint_eq(digest_parts_digest(parts, bytes),
			  digest_bytes(DTYPE_F32, bytes, sizeof bytes));
	digest_parts_free(parts);
	digest_parts_free(NULL);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("digest parts");

	tcase_add_test(tests, they_equal_digests_of_all_bytes);
	tcase_add_test(tests, only_changes_are_read);
	return run_suite("digest parts", tests);
}
