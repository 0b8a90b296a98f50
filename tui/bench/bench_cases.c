/* bench_cases.c - the decode attention variants that `flashtwin bench --suite seeds` measures. */
#include "tui/bench/bench_seeds.h"

const struct seeds_case seeds_cases[SEEDS_CASES] = {
	{ "incremental", 0, 1 }, { "incremental-multiwarp", 0, 4 },
	{ "flash-decoding", 16, 1 }, { "flash-decoding", 32, 1 }, { "flash-decoding", 128, 1 },
	{ "flash-decoding", 16, 2 }, { "flash-decoding", 32, 2 }, { "flash-decoding", 128, 2 },
};
