/* test_status.c - the error record, exit codes, element types and allocation helpers. */
#include "config.h"

#include "tests/support.h"

#include <pthread.h>

#include <xxhash.h>

#include "base/dtype.h"
#include "base/status.h"
#include "base/xalloc.h"
#include "traces/digest.h"
#include "traces/row.h"

START_TEST(record)
{
	error_clear();
	ck_assert_str_eq(error_text(), "");
	ck_assert_int_eq(fail(STATUS_USAGE, "--chunk %d: too small", 0), STATUS_USAGE);
	ck_assert_str_eq(error_text(), "--chunk 0: too small");
	ck_assert_int_eq(fail_device(700, "kernel faulted"), STATUS_DEVICE);
	ck_assert_int_eq(error_code(), 700);
	ck_assert_int_eq(fail_context(STATUS_DEVICE, "L%d", 12), STATUS_DEVICE);
	ck_assert_str_eq(error_text(), "L12: kernel faulted");
	ck_assert_int_eq(error_code(), 700);
	/* The text may be an argument of fail(), and a later failure has no device error code. */
	fail(STATUS_IO, "again: %s", error_text());
	ck_assert_str_eq(error_text(), "again: L12: kernel faulted");
	ck_assert_int_eq(error_code(), 0);
}
END_TEST

START_TEST(kept_record)
{
	struct error_record kept;

	fail_device(700, "kernel faulted");
	error_save(&kept);
	fail(STATUS_IO, "cannot close either");
	error_restore(&kept);
	ck_assert_str_eq(error_text(), "kernel faulted");
	ck_assert_int_eq(error_code(), 700);
}
END_TEST

START_TEST(names)
{
	enum log_level level = LEVEL_ACCESS;

	ck_assert_str_eq(status_name(STATUS_DAMAGED), "DAMAGED");
	ck_assert_int_eq(status_from_name("INTERRUPTED"), STATUS_INTERRUPTED);
	ck_assert_int_eq(status_from_name("nonsense"), STATUS_OK);
	ck_assert_str_eq(log_level_name(LEVEL_POINTS), "points");
	ck_assert_str_eq(log_level_name(LEVEL_COUNT), "unknown");
	ck_assert(log_level_from_name("partials", &level) && level == LEVEL_PARTIALS);
	ck_assert(!log_level_from_name("", &level));
	ck_assert_str_eq(op_kind_name(OP_UPLOAD_POINTERS), "upload_pointers");
	ck_assert_str_eq(op_kind_name(OP_COUNT), "unknown");
}
END_TEST

START_TEST(one_line)
{
	char *big = xmalloc(5001);

	fail(STATUS_IO, "%s", "a\nb\tc");
	ck_assert_str_eq(error_text(), "a\\nb\\tc");
	memset(big, 'x', 5000);
	big[5000] = '\0';
	fail(STATUS_IO, "%s", big);
	ck_assert_uint_lt(strlen(error_text()), 1024);
	fail_context(STATUS_IO, "%s", big);
	ck_assert_uint_lt(strlen(error_text()), 1024);
	free(big);
}
END_TEST

static void *fail_elsewhere(void *unused)
{
	fail(STATUS_IO, "of another thread");
	return unused;
}

START_TEST(per_thread)
{
	pthread_t thread;

	fail(STATUS_IO, "mine");
	ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
	pthread_join(thread, NULL);
	ck_assert_str_eq(error_text(), "mine");
}
END_TEST

START_TEST(exit_codes)
{
	ck_assert_int_eq(status_exit_code(STATUS_OK), 0);
	ck_assert_int_eq(status_exit_code(STATUS_DIFFERS), 1);
	ck_assert_int_eq(status_exit_code(STATUS_IO), 2);
	ck_assert_int_eq(status_exit_code(STATUS_DAMAGED), 6);
	ck_assert_int_eq(status_exit_code((enum status)999), 70);
	ck_assert_str_eq(status_text(STATUS_OK), "done");
}
END_TEST

START_TEST(worse)
{
	/* From the most severe to the least severe. */
	static const enum status order[] = {
		STATUS_INTERNAL, STATUS_INTERRUPTED, STATUS_DAMAGED, STATUS_COMPILE, STATUS_STEPS,
		STATUS_FINDING, STATUS_USAGE, STATUS_NO_GPU, STATUS_DIFFERS, STATUS_OK,
	};
	enum { COUNT = sizeof order / sizeof order[0] };

	for (int i = 0; i < COUNT; i++)
		for (int k = i; k < COUNT; k++) {
			ck_assert_int_eq(status_worse(order[i], order[k]), order[i]);
			ck_assert_int_eq(status_worse(order[k], order[i]), order[i]);
		}
}
END_TEST

START_TEST(dtypes)
{
	enum dtype type;

	ck_assert(dtype_from_name("bf16", &type) && type == DTYPE_BF16);
	ck_assert_uint_eq(dtype_bytes(type), 2);
	ck_assert(dtype_from_name("e4m3", &type) && type == DTYPE_E4M3);
	ck_assert_uint_eq(dtype_bytes(type), 1);
	ck_assert_str_eq(dtype_name(DTYPE_POINTER), "pointer");
	ck_assert(!dtype_from_name("f33", &type) && !dtype_from_name("", &type));
}
END_TEST

START_TEST(digest_nan)
{
	uint32_t a[2000], b[2000];

	for (uint32_t i = 0; i < 2000; i++)
		a[i] = b[i] = 0x3f800000 + i;
	ck_assert_uint_eq(digest_bytes(DTYPE_F32, a, sizeof a),
			  digest_bytes(DTYPE_F32, b, sizeof b));
	a[1500] = 0x7fffffff;
	b[1500] = 0xffc00000;
	ck_assert_uint_eq(digest_bytes(DTYPE_F32, a, sizeof a),
			  digest_bytes(DTYPE_F32, b, sizeof b));
	ck_assert_uint_ne(digest_bytes(DTYPE_U32, a, sizeof a),
			  digest_bytes(DTYPE_U32, b, sizeof b));
	/* An infinity is not a NaN, and the two zeros differ. */
	b[1500] = 0x7f800000;
	ck_assert_uint_ne(digest_bytes(DTYPE_F32, a, sizeof a),
			  digest_bytes(DTYPE_F32, b, sizeof b));
	a[1500] = 0;
	b[1500] = 0x80000000;
	ck_assert_uint_ne(digest_bytes(DTYPE_F32, a, sizeof a),
			  digest_bytes(DTYPE_F32, b, sizeof b));
}
END_TEST

/* The plain form of the rule, for every length and many places of a NaN. */
START_TEST(digest_ends)
{
	uint16_t a[4096 + 40], b[4096 + 40];

	for (size_t count = 1; count <= 4096 + 40; count += count < 40 ? 1 : 511) {
		for (size_t i = 0; i < count; i++) {
			bool nan = i % 37 == 5 || i == count - 1 || (i > 2048 && i < 2500);

			a[i] = nan ? (uint16_t)(0x7c01 + i % 100) : (uint16_t)(0x3c00 + i % 1000);
			b[i] = nan ? 0x7e00 : a[i];
		}
		ck_assert_uint_eq(digest_bytes(DTYPE_F16, a, count * sizeof *a),
				  digest_bytes(DTYPE_U32, b, count * sizeof *b));
	}
}
END_TEST

/* Whatever the processor hashes with, a trace has the hash that XXH3 defines. */
/* Long runs of one NaN, of another, and numbers between them. */
START_TEST(repeated_nans_are_one)
{
	enum { WORDS = 30000 };
	static uint32_t words[WORDS], wanted[WORDS];

	for (unsigned variant = 0; variant < 40; variant++) {
		for (unsigned i = 0; i < WORDS; i++) {
			bool number = i == variant * 700 || (variant % 3 == 0 && i < 9000);

			words[i] = number ? 0x3f800000u
				: i > 20000 && variant % 2 ? 0xffc00001u : 0x7fa0deadu;
			wanted[i] = number ? 0x3f800000u : 0x7fc00000u;
		}
		ck_assert_uint_eq(digest_bytes(DTYPE_F32, words, sizeof words - variant * 4),
				  digest_bytes(DTYPE_U32, wanted, sizeof wanted - variant * 4));
	}
}
END_TEST

START_TEST(digest_is_xxh3)
{
	unsigned char bytes[20000];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * i >> 3);
	for (size_t count = 0; count <= sizeof bytes; count += count < 300 ? 1 : 1111) {
		XXH64_hash_t wanted = XXH3_64bits(bytes, count);
		struct digest_state *state = digest_begin(DTYPE_U32);

		digest_add(state, bytes, count);
		ck_assert_uint_eq(digest_end(state), wanted);
		ck_assert_uint_eq(digest_bytes(DTYPE_U32, bytes, count), wanted);
	}
}
END_TEST

START_TEST(digest_types)
{
	static const uint16_t f16[2] = { 0x7e01, 0xfc01 }, f16_nan[2] = { 0x7e00, 0x7e00 };
	static const uint16_t bf16[2] = { 0x7f81, 0xffff }, bf16_nan[2] = { 0x7fc0, 0x7fc0 };
	static const uint8_t e4m3[3] = { 0xff, 0x7f, 0x7e }, e4m3_nan[3] = { 0x7f, 0x7f, 0x7e };
	static const uint64_t f64[1] = { 0xfff0000000000001 }, f64_nan[1] = { 0x7ff8000000000000 };

	ck_assert_uint_eq(digest_bytes(DTYPE_F16, f16, 4), digest_bytes(DTYPE_F16, f16_nan, 4));
	ck_assert_uint_eq(digest_bytes(DTYPE_BF16, bf16, 4), digest_bytes(DTYPE_BF16, bf16_nan, 4));
	ck_assert_uint_eq(digest_bytes(DTYPE_F64, f64, 8), digest_bytes(DTYPE_F64, f64_nan, 8));
	ck_assert_uint_eq(digest_bytes(DTYPE_E4M3, e4m3, 3), digest_bytes(DTYPE_E4M3, e4m3_nan, 3));
	/* Bits that are a NaN in one type are a number in another. */
	ck_assert_uint_ne(digest_bytes(DTYPE_U8, e4m3, 3), digest_bytes(DTYPE_U8, e4m3_nan, 3));
	ck_assert_uint_ne(digest_bytes(DTYPE_BF16, f16, 4), digest_bytes(DTYPE_BF16, f16_nan, 4));
}
END_TEST

START_TEST(digest_parts)
{
	uint32_t values[5000];
	struct digest_state *state = digest_begin(DTYPE_F32);

	for (uint32_t i = 0; i < 5000; i++)
		values[i] = i % 1777 == 5 ? 0x7f800001 + i : i * 2654435761u & 0x7f7fffff;
	digest_add(state, values, 4);
	digest_add(state, values + 1, 4 * 3000);
	digest_add(state, values + 3001, 4 * 1999);
	ck_assert_uint_eq(digest_end(state), digest_bytes(DTYPE_F32, values, sizeof values));
}
END_TEST

START_TEST(allocation)
{
	char *text = xasprintf("%s-%0*d", "run", 300, 7);

	ck_assert_uint_eq(strlen(text), 304);
	ck_assert_str_eq(text + 303, "7");
	free(text);
	free(xmalloc(0));
}
END_TEST

START_TEST(allocation_overflow)
{
	free(xreallocarray(NULL, SIZE_MAX / 2, 4));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("status");
	TCase *tcase = tcase_create("status");
	SRunner *runner = srunner_create(suite);
	int failed;

	suite_add_tcase(suite, tcase);
	tcase_add_test(tcase, record);
	tcase_add_test(tcase, kept_record);
	tcase_add_test(tcase, names);
	tcase_add_test(tcase, one_line);
	tcase_add_test(tcase, per_thread);
	tcase_add_test(tcase, exit_codes);
	tcase_add_test(tcase, worse);
	tcase_add_test(tcase, dtypes);
	tcase_add_test(tcase, digest_nan);
	tcase_add_test(tcase, digest_ends);
	tcase_add_test(tcase, repeated_nans_are_one);
	tcase_add_test(tcase, digest_is_xxh3);
	tcase_add_test(tcase, digest_types);
	tcase_add_test(tcase, digest_parts);
	tcase_add_test(tcase, allocation);
	/* It exits, so it needs a process of its own. */
	if (srunner_fork_status(runner) == CK_FORK)
		tcase_add_exit_test(tcase, allocation_overflow, 70);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
