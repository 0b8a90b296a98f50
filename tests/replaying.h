/* replaying.h - for tests: replays a trace's first run on the simulator and compares the bits. */
#ifndef TESTS_REPLAYING_H
#define TESTS_REPLAYING_H

#include "tests/recording.h"

#include "engine/replay/replay.h"

/* Returns the number of differences between run 1 and its replay under this seed. */
static inline int64_t replay_under(struct store *store, uint64_t seed)
{
	struct replay_options options = { .device = "sim", .target = { .seed = seed } };
	struct replay_report report;
	int64_t differences;

	OK(replay_compare(store, 1, &options, &report));
	differences = report.diff.differences;
	ck_assert_int_gt(report.diff.buffers, 0);
	diff_report_free(&report.diff);
	return differences;
}

static inline void replay_equal(struct store *store)
{
	for (uint64_t seed = 0; seed < 4; seed++)
		ck_assert_msg(replay_under(store, seed) == 0, "seed %d: bits differ", (int)seed);
}

#endif
