/* cmd_bench.c - `flashtwin bench`: the project's own measurements, each with its reference. */
#include "config.h"

#include <stdlib.h>

#include "tui/bench.h"
#include "tui/command.h"
#include "tui/options.h"

enum { OPTION_SIM = 256, OPTION_SUITE, OPTION_RUNS };

static const struct option table[] = {
	{ "sim", no_argument, NULL, OPTION_SIM },
	{ "suite", required_argument, NULL, OPTION_SUITE },
	{ "runs", required_argument, NULL, OPTION_RUNS },
	{ NULL, 0, NULL, 0 }
};

static const char help[] =
	"usage: flashtwin bench [--sim] [--runs N]\n"
	"\n"
	"Measures on this machine and prints medians.\n"
	"\n"
	"  --sim              the simulator (the default): chunk + reduce on one job against plain C,\n"
	"                     where that, compiled for the building machine, can run here;\n"
	"                     bytes and seconds per decode step, not recorded and at each level\n"
	"  --runs N           samples behind each median (7)\n"
	"\n"
	"example: flashtwin bench --sim --runs 15\n";

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *samples, size_t count)
{
	qsort(samples, count, sizeof *samples, ascending);
	return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

static enum status run(int argc, char **argv)
{
	int64_t runs = 7;
	int c;

	TRY(option_next(argc, argv, "", table, &c));
	while (c != -1) {
		switch (c) {
		case OPTION_SIM:
			break;
		case OPTION_SUITE:
			return not_built_yet("--suite");
		case OPTION_RUNS:
			TRY(option_integer("--runs", optarg, 1, 10000, &runs));
			break;
		}
		TRY(option_next(argc, argv, "", table, &c));
	}
	TRY(option_none_left(argc, argv));
	TRY(bench_sim((int)runs));
	return bench_trace((int)runs);
}

const struct command cmd_bench = {
	.name = "bench",
	.summary = "measure the simulator and the cost of recording",
	.help = help,
	.run = run,
};
