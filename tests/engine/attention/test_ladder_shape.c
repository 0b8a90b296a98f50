/* test_ladder_shape.c - rules of the ladder that need no device: the rung that the shape table
 * names for several sequences, for one and for several queries; tiles in flight on tensor cores.
 */
#include "config.h"

#include "tests/support.h"

#include "engine/attention/ladder_shape.h"
#include "kernels/head_sizes.h"
#include "kernels/split_rule.h"

static const int dims[] = { HEAD_SIZES };

static void expect_rung(const struct attention_shape *s, int rung, size_t number)
{
	ck_assert_msg(ladder_rung(s) == rung, "case %zu: rung %d, not %d", number, ladder_rung(s),
		      rung);
}

/* The rung of the shape table for several sequences and for one. */
START_TEST(the_table_knows_batches)
{
	static const struct {
		enum dtype kv_dtype;
		int slots, heads, head_dim, max_len, rung;
	} cases[] = {
		{ DTYPE_BF16, 32, 32, 128, 4096, 10 }, { DTYPE_BF16, 32, 32, 128, 65536, 7 },
		{ DTYPE_BF16, 16, 32, 128, 65536, 10 }, { DTYPE_BF16, 32, 32, 128, 16384, 10 },
		{ DTYPE_BF16, 1, 32, 128, 1024, 10 }, { DTYPE_BF16, 1, 32, 128, 1025, 9 },
		{ DTYPE_BF16, 1, 32, 128, 4096, 9 }, { DTYPE_F16, 1, 32, 128, 4097, 10 },
		{ DTYPE_BF16, 1, 32, 128, 32768, 10 }, { DTYPE_BF16, 1, 32, 128, 32769, 9 },
		{ DTYPE_E4M3, 1, 32, 128, 8192, 9 }, { DTYPE_BF16, 1, 32, 64, 8192, 9 },
		{ DTYPE_F16, 1, 32, 96, 1024, 9 },
		{ DTYPE_BF16, 32, 32, 256, 65536, 7 }, { DTYPE_BF16, 16, 32, 256, 65536, 10 },
		{ DTYPE_BF16, 2, 32, 128, 1024, 10 }, { DTYPE_BF16, 1, 32, 128, 65536, 9 },
		{ DTYPE_E4M3, 32, 32, 128, 16384, 10 }, { DTYPE_E4M3, 32, 32, 128, 16385, 9 },
		{ DTYPE_E4M3, 32, 32, 256, 65536, 9 }, { DTYPE_E4M3, 1, 32, 128, 131073, 9 },
		{ DTYPE_F32, 32, 32, 128, 4096, 10 }, { DTYPE_F32, 32, 32, 128, 65536, 10 },
		{ DTYPE_F32, 1, 32, 128, 65536, 9 },
		{ DTYPE_F32, 1, 128, 128, 1024, 10 }, { DTYPE_F32, 1, 128, 128, 1025, 9 },
		{ DTYPE_F32, 32, 128, 128, 1024, 9 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct attention_shape s = {
			.layers = 1, .slots = cases[i].slots, .kv_heads = 8,
			.heads = cases[i].heads,
			.head_dim = cases[i].head_dim, .max_len = cases[i].max_len,
			.kv_dtype = cases[i].kv_dtype,
		};

		expect_rung(&s, cases[i].rung, i);
	}
}
END_TEST

/* Several queries, each a row of the batch. */
START_TEST(the_table_knows_queries)
{
	static const struct {
		enum dtype kv_dtype;
		int max_len, rung;
	} cases[] = {
		{ DTYPE_F32, 4096, 10 }, { DTYPE_F32, 16384, 10 }, { DTYPE_F32, 16385, 9 },
		{ DTYPE_BF16, 4096, 10 }, { DTYPE_BF16, 32768, 10 },
		{ DTYPE_E4M3, 4096, 10 }, { DTYPE_E4M3, 32768, 10 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct attention_shape s = {
			.layers = 1, .slots = 1, .queries = 4, .kv_heads = 8, .heads = 32,
			.head_dim = 128, .max_len = cases[i].max_len,
			.kv_dtype = cases[i].kv_dtype,
		};

		expect_rung(&s, cases[i].rung, i);
	}
}
END_TEST

/* All shapes have room for the keys and the values of a tile, in blocks and in halves of them, and
 * in clusters where they have room for as many in f32. */
START_TEST(two_tiles_are_in_flight)
{
	for (int group = 1; group <= SPLIT_MAX_GROUP; group++)
		for (size_t i = 0; i < HEAD_SIZE_COUNT; i++)
			for (int size = 1; size <= 2; size++) {
				int room = TENSOR_GROUP(group), D = dims[i];

				ck_assert_int_ge(TENSOR_PLACES(room, D, size, BLOCK_BYTES), 2);
				if (SPLIT_KEPT(room) && D <= PAIR_MAX_D)
					ck_assert_int_ge(TENSOR_PLACES(room, D, size, PAIR_BYTES),
							 2);
				if (CLUSTER_STAGES(room, D) >= 2)
					ck_assert_int_ge(TENSOR_PLACES(room, D, size, BLOCK_BYTES
						- 4 * CLUSTER_FLOATS(room, D)), 2);
			}
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("ladder, shapes");

	tcase_add_test(tests, the_table_knows_batches);
	tcase_add_test(tests, the_table_knows_queries);
	tcase_add_test(tests, two_tiles_are_in_flight);
	return run_suites("ladder, shapes", &tests, 1);
}
