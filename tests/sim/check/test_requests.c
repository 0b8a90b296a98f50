/* test_requests.c - bank conflicts in shared memory, compared with an H200's counters.
 *
 * Each row holds what Nsight Compute counted for a kernel of tests/gpu/requests.cu
 * (l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld and _st), by bytes per lane.
 */
#include "config.h"

#include "tests/support.h"

#include "traces/request.h"

enum { LANES = 32 };

/* X(name, element of a lane, active lanes, conflicts of loads of 4, 8 and 16 bytes, and of stores);
 * -1: not measured */
#define SHAPES(X) \
	X(stride1, lane, true, 0, 0, 0, 0, 0, 0) \
	X(stride2, 2 * lane, true, 1, 2, 4, 1, 2, 4) \
	X(stride4, 4 * lane, true, 3, 6, 12, 3, 6, 12) \
	X(stride8, 8 * lane, true, 7, 14, 28, 7, 14, 28) \
	X(stride16, 16 * lane, true, 15, 30, 28, 15, 30, 28) \
	X(stride32, 32 * lane, true, 31, 30, 28, 31, 30, 28) \
	X(reversed, 31 - lane, true, 0, 0, 0, 0, 0, 0) \
	X(mixed, lane * 5 % 32, true, 0, 0, 0, 0, 0, 0) \
	X(few, lane, lane < 8, 0, 0, 0, 0, 0, 0) \
	X(even, lane, lane % 2 == 0, 0, 1, 2, 0, 0, 0) \
	X(fourspread, 8 * lane, lane % 8 == 0, 3, 3, 2, 3, 2, 0) \
	X(eightspread, 8 * lane, lane % 4 == 0, 7, 7, 6, 7, 6, 4) \
	X(same, 0, true, 0, 0, 0, -1, -1, -1) \
	X(pairs, lane / 2, true, 0, 0, 0, -1, -1, -1) \
	X(pairs8, lane / 2 * 8, true, 3, 7, 14, -1, -1, -1) \
	X(crossed, lane / 4 * 2 + lane % 2, true, 0, 0, 0, -1, -1, -1) \
	X(alternate, lane % 2, true, 0, 0, 0, -1, -1, -1) \
	X(alternate32, lane % 2 * 32, true, 1, 1, 2, -1, -1, -1) \
	X(halves, lane % 16, true, 0, 0, 0, -1, -1, -1) \
	X(halves8, lane % 16 * 8, true, 3, 14, 28, -1, -1, -1) \
	X(quarters, lane % 8, true, 0, 0, 0, -1, -1, -1) \
	X(quads, lane / 4, true, 0, 0, 0, -1, -1, -1)

static void compare(const char *name, const unsigned *element, uint32_t lanes, const int *measured)
{
	for (int i = 0; i < 6; i++) {
		uint64_t address[LANES];
		uint8_t bytes[LANES];
		unsigned size = 4u << i % 3;
		int found;

		for (int lane = 0; lane < LANES; lane++) {
			address[lane] = 0x10000 + element[lane] * size;
			bytes[lane] = (uint8_t)size;
		}
		found = (int)request_conflicts(address, bytes, lanes, i < 3);
		ck_assert_msg(measured[i] < 0 || found == measured[i],
			      "%s of %u bytes, %s: expected %d conflicts, got %d", name, size,
			      i < 3 ? "loads" : "stores", measured[i], found);
	}
}

START_TEST(conflicts_are_those_of_an_h200)
{
#define SHAPE(name, index, active, ...) { \
		unsigned element[LANES]; \
		uint32_t lanes = 0; \
		for (int lane = 0; lane < LANES; lane++) { \
			element[lane] = (unsigned)(index); \
			lanes |= (active) ? 1u << lane : 0; \
		} \
		compare(#name, element, lanes, (const int[]){ __VA_ARGS__ }); \
	}
	SHAPES(SHAPE)
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("requests");

	tcase_add_test(tests, conflicts_are_those_of_an_h200);
	return run_suite("requests", tests);
}
