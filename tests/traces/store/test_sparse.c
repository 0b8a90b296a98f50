/* test_sparse.c - known and unknown bytes against a plain array, and the memory they take. */
#include "tests/support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/xalloc.h"
#include "traces/store/sparse.h"

enum { BYTES = 5 * 65536 + 1000, CHANGES = 1500 };

/* The same twice: sparse, and as arrays. */
static struct sparse *s;
static unsigned char *bytes, *known;

static void model_write(size_t offset, const unsigned char *from, const unsigned char *flags,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		known[offset + i] = flags ? flags[i] : 1;
		bytes[offset + i] = known[offset + i] ? from[i] : 0xff;
	}
}

static size_t random_below(size_t limit)
{
	return (size_t)random() % limit;
}

/* Often whole segments. */
static void random_range(size_t *offset, size_t *count)
{
	bool whole = random_below(3) == 0;

	*offset = whole ? random_below(6) * 65536 : random_below(BYTES);
	*count = random_below(3) ? random_below(BYTES - *offset + 1) : random_below(20);
	if (whole && *count > 65536)
		*count -= *count % 65536;
	if (*count > BYTES - *offset)
		*count = BYTES - *offset;
}

static void change(void)
{
	unsigned char *from = xmalloc(BYTES), *flags = xmalloc(BYTES);
	size_t offset, count, to;
	uint32_t word = random_below(2) ? 0 : (uint32_t)random();

	random_range(&offset, &count);
	switch (random_below(4)) {
	case 0:
		for (size_t i = 0; i < count; i++)
			from[i] = word ? (unsigned char)random() : 7;
		sparse_write(s, offset, from, NULL, count);
		model_write(offset, from, NULL, count);
		break;
	case 1:
		for (size_t i = 0; i < count; i++)
			from[i] = (unsigned char)(word >> i % 4 * 8);
		sparse_fill(s, offset, word, count);
		model_write(offset, from, NULL, count);
		break;
	case 2:
		memset(flags, 0, count);
		sparse_forget(s, offset, count);
		model_write(offset, from, flags, count);
		break;
	default:
		to = random_below(BYTES - count + 1);
		memcpy(from, bytes + offset, count);
		memcpy(flags, known + offset, count);
		sparse_copy(s, to, s, offset, count);
		model_write(to, from, flags, count);
	}
	free(from);
	free(flags);
}

static void compare(void)
{
	unsigned char *got = xmalloc(2 * BYTES);

	sparse_read(s, 0, got, got + BYTES, BYTES);
	ck_assert(memcmp(got, bytes, BYTES) == 0);
	ck_assert(memcmp(got + BYTES, known, BYTES) == 0);
	free(got);
}

START_TEST(as_an_array)
{
	s = sparse_new(BYTES);
	bytes = xmalloc(BYTES);
	known = xcalloc(BYTES, 1);
	memset(bytes, 0xff, BYTES);
	srandom(1);
	for (int i = 0; i < CHANGES; i++) {
		change();
		if (i % 16 == 0)
			compare();
	}
	compare();
	sparse_free(s);
	free(bytes);
	free(known);
}
END_TEST

static long used_kilobytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* 64 GiB are filled, copied and read at places. */
START_TEST(memory_grows_with_what_is_known)
{
	const size_t size = (size_t)64 << 30;
	struct sparse *large = sparse_new(size), *other = sparse_new(size);
	long before = used_kilobytes();
	unsigned char got[8], flags[8];

	ck_assert_ptr_nonnull(large);
	ck_assert_ptr_nonnull(other);
	sparse_fill(large, 0, 0x01020304, size / 2);
	sparse_copy(other, 4096, large, 0, (size_t)1 << 30);
	sparse_write(large, size - 8, "12345678", NULL, 8);
	sparse_read(large, size - 12, got, flags, 8);
	ck_assert(memcmp(got, "\xff\xff\xff\xff" "1234", 8) == 0);
	ck_assert(memcmp(flags, "\0\0\0\0\1\1\1\1", 8) == 0);
	sparse_read(other, 4096 + 65536, got, flags, 8);
	ck_assert(memcmp(got, "\4\3\2\1\4\3\2\1", 8) == 0);
	ck_assert_int_lt(used_kilobytes() - before, 64 << 10);
	sparse_free(large);
	sparse_free(other);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("sparse");

	tcase_add_test(tests, as_an_array);
	tcase_add_test(tests, memory_grows_with_what_is_known);
	return run_suite("sparse", tests);
}
