/* cmd_bench.c - `flashtwin bench`: measurements of flashtwin, each with a reference to compare. */
#include "config.h"

#include <string.h>

#include "tui/bench/bench.h"
#include "tui/command.h"
#include "tui/options.h"

enum { OPTION_SIM = 256, OPTION_SUITE, OPTION_RUNS, OPTION_DEVICE, OPTION_JSON };

static const struct option table[] = {
	{ "sim", no_argument, NULL, OPTION_SIM },
	{ "suite", required_argument, NULL, OPTION_SUITE },
	{ "runs", required_argument, NULL, OPTION_RUNS },
	{ "device", required_argument, NULL, OPTION_DEVICE },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 }
};

static const char help[] =
	"usage: flashtwin bench [--sim] [--runs N]\n"
	"       flashtwin bench --suite seeds [--device cuda|sim] [--runs N] [--json]\n"
	"       flashtwin bench --suite view [T.twin]\n"
	"\n"
	"Measures on this machine and prints medians.\n"
	"\n"
	"  --sim              the simulator (the default): chunk + reduce on one job against plain C,\n"
	"                     where that, compiled for the building machine, can run here;\n"
	"                     bytes and seconds per decode step, not recorded and at each level\n"
	"  --suite seeds      what the attention paths claim to gain, on a GPU: attention kernels\n"
	"                     with nothing in the L2, launches of a step, waits, graphs, a long\n"
	"                     prompt; beside figures cited for other kernels. Markdown\n"
	"  --suite view       how fast the viewer opens a trace of more than ten million rows (two\n"
	"                     runs recorded for it, or T.twin), and how soon each key on each screen\n"
	"                     is answered; exit 1 above 0.5 s and 50 ms\n"
	"  --device D         of a suite: cuda (the default), or sim: the same work with sizes cut\n"
	"                     down, in the simulator's own wall-clock time, without verdicts on it\n"
	"  --runs N           samples behind each median (7)\n"
	"  --json             of a suite: one JSON object\n"
	"\n"
	"examples: flashtwin bench --sim --runs 15\n"
	"          flashtwin bench --suite seeds >claims.md\n"
	"          flashtwin bench --suite view\n";

struct asked {
	const char *suite, *device;     /* NULL: not given */
	const char *trace;              /* of --suite view; NULL: one is recorded */
	bool sim, json;
	int64_t runs;
};

static enum status read_options(int argc, char **argv, struct asked *asked)
{
	int c;

	TRY(option_next(argc, argv, "", table, &c));
	while (c != -1) {
		switch (c) {
		case OPTION_SIM: asked->sim = true; break;
		case OPTION_SUITE: asked->suite = optarg; break;
		case OPTION_DEVICE: asked->device = optarg; break;
		case OPTION_JSON: asked->json = true; break;
		case OPTION_RUNS:
			TRY(option_integer("--runs", optarg, 1, 10000, &asked->runs));
			break;
		}
		TRY(option_next(argc, argv, "", table, &c));
	}
	if (asked->suite && strcmp(asked->suite, "view") == 0 && optind < argc)
		asked->trace = argv[optind++];
	return option_none_left(argc, argv);
}

static enum status check_options(const struct asked *asked)
{
	const char *device = asked->device;

	if (asked->suite == NULL)
		return device || asked->json
			? fail(STATUS_USAGE, "--device and --json need --suite") : STATUS_OK;
	if (asked->sim)
		return fail(STATUS_USAGE, "--sim and --suite: one of them (--device sim runs a "
			    "suite on the simulator)");
	if (strcmp(asked->suite, "view") == 0)
		return device || asked->json
			? fail(STATUS_USAGE, "--device and --json do not go with --suite view")
			: STATUS_OK;
	if (strcmp(asked->suite, "seeds") != 0)
		return fail(STATUS_USAGE, "--suite %s: there are seeds and view", asked->suite);
	if (device && strcmp(device, "cuda") != 0 && strcmp(device, "sim") != 0)
		return fail(STATUS_USAGE, "--device %s: it must be cuda or sim", device);
	return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
	struct asked asked = { .runs = 7 };

	TRY(read_options(argc, argv, &asked));
	TRY(check_options(&asked));
	if (asked.suite && strcmp(asked.suite, "view") == 0)
		return bench_view(asked.trace);
	if (asked.suite)
		return bench_seeds(asked.device ? asked.device : "cuda", (int)asked.runs,
				   asked.json);
	TRY(bench_sim((int)asked.runs));
	return bench_trace((int)asked.runs);
}

const struct command cmd_bench = {
	.name = "bench",
	.summary = "measure the simulator, the cost of recording, and attention on a GPU",
	.help = help,
	.run = run,
};
