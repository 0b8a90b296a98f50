/* test_address.c - parses and formats addresses of every form, and rejects everything else. */
#include "tests/support.h"

#include "tui/views/address.h"

static const char *const good[] = {
	"L0", "L12", "r2.L12", "L12.b3", "L12.b3.w1", "L12.b3.w1.l31", "L12.b3.w1.l31.p2",
	"L12.b3.w1.l31.a40", "L12.b3.p1", "L12.p1", "L12.a0", "L12.end", "s4", "s4.end",
	"r1.s4.end", "L1.o0", "r2.L1.o0.e66", "L1.n7", "L1.f1.n7", "L1.b2.w0.l1.p3.f0.n7", "L1.f1",
	"r3", "L9223372036854775807", "op 245", "r2.op 0"
};

static const char *const bad[] = {
	"", "L", "12", "L-1", "L 1", "l1", "L1.", "L1.b", "L1.w0", "L1.b0.l0", "L1.b0.w0.l0.w0",
	"L1.p0.a0", "L1.p0.end", "L1.b0.end", "L1.end.b0", "L1.end.", "L1x", "s1.b0", "s1.L1",
	"L1.r1", "L1.e3", "L1.o0.b0", "L1.b0.o0", "L1.n1.f0", "L1.n1.p0", "L1.o0.n1",
	"r1.", "end", "L9223372036854775808", "L1..L2", "L1b0", "op", "op ", "op  1", "op 1.b0",
	"op 1.end", "oops"
};

START_TEST(good_addresses_are_written_as_they_were_read)
{
	char text[ADDRESS_TEXT];
	struct address a;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert_msg(address_parse("--at", good[i], &a) == STATUS_OK,
			      "'%s' was rejected", good[i]);
		address_format(&a, text);
		ck_assert_str_eq(text, good[i]);
	}
}
END_TEST

START_TEST(bad_addresses_are_rejected)
{
	struct address a;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(address_parse("--at", bad[i], &a) == STATUS_USAGE,
			      "'%s' was accepted", bad[i]);
		ck_assert_msg(strstr(error_text(), "--at") != NULL, "'%s': %s", bad[i],
			      error_text());
	}
}
END_TEST

START_TEST(operations_need_no_space)
{
	struct address a;

	ck_assert_int_eq(address_parse("--at", "op17", &a), STATUS_OK);
	ck_assert_int_eq(a.op, 17);
	ck_assert_int_eq(a.launch, -1);
}
END_TEST

START_TEST(parts_have_their_numbers)
{
	struct address a;

	ck_assert_int_eq(address_parse("--at", "r7.L6.b5.w4.l3.p2", &a), STATUS_OK);
	ck_assert_int_eq(a.run, 7);
	ck_assert_int_eq(a.step, -1);
	ck_assert_int_eq(a.launch, 6);
	ck_assert_int_eq(a.block, 5);
	ck_assert_int_eq(a.warp, 4);
	ck_assert_int_eq(a.lane, 3);
	ck_assert_int_eq(a.point, 2);
	ck_assert_int_eq(a.access, -1);
	ck_assert(!a.end);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("address");

	tcase_add_test(tests, good_addresses_are_written_as_they_were_read);
	tcase_add_test(tests, bad_addresses_are_rejected);
	tcase_add_test(tests, operations_need_no_space);
	tcase_add_test(tests, parts_have_their_numbers);
	return run_suite("address", tests);
}
