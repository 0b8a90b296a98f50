/* same_runs.h - for tests: the first two runs of a trace must have the same bits. */
#ifndef TESTS_SAME_RUNS_H
#define TESTS_SAME_RUNS_H

#include "tests/support.h"

#include "traces/diff/diff.h"

struct same_runs {
	int64_t values, points;         /* compared */
};

/* Fails the test at the first difference, named with `what`. */
static inline struct same_runs same_runs(struct store *store, const char *what)
{
	struct diff_options options = { .run_a = 1, .run_b = 2 };
	struct diff_report report;
	struct same_runs compared;

	OK(diff_runs(store, store, &options, &report));
	ck_assert_msg(report.differences == 0, "%s: %lld differences, first %s %s: %s and %s", what,
		      (long long)report.differences, report.items[0].address, report.items[0].what,
		      report.items[0].a, report.items[0].b);
	compared = (struct same_runs){ report.values, report.points };
	diff_report_free(&report);
	return compared;
}

#endif
