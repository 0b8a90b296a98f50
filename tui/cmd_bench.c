/* cmd_bench.c - `flashtwin bench`: measurements of flashtwin, each with a reference to compare. */
#include "config.h"

#include <string.h>

#include "base/output.h"
#include "tui/bench/bench.h"
#include "tui/command.h"
#include "tui/options.h"

struct asked {
	const char *suite, *device;     /* NULL: not given */
	const char *trace;              /* of --suite view; NULL: one is recorded */
	const char *plot;               /* NULL: none */
	bool sim, json;
	int64_t runs;
};

static enum status take_option(void *context, const struct option_value *v)
{
	struct asked *asked = context;

	switch (v->id) {
	case OPTION_BENCH_SIM: asked->sim = true; break;
	case OPTION_SUITE: asked->suite = v->text; break;
	case OPTION_BENCH_DEVICE: asked->device = v->text; break;
	case OPTION_BENCH_JSON: asked->json = true; break;
	case OPTION_BENCH_PLOT: asked->plot = v->text; break;
	case OPTION_SAMPLES: asked->runs = v->integer; break;
	default: break;
	}
	return STATUS_OK;
}

static enum status read_options(int argc, char **argv, struct asked *asked)
{
	int rest;

	TRY(options_parse(COMMAND_BENCH, argc, argv, take_option, asked, &rest));
	if (asked->suite && strcmp(asked->suite, "view") == 0 && rest < argc)
		asked->trace = argv[rest++];
	return option_none_left(argc, argv, rest);
}

static enum status check_options(const struct asked *asked)
{
	const char *device = asked->device;

	if (asked->plot)
		TRY(output_check(asked->plot));
	if (asked->plot && asked->suite && (strcmp(asked->suite, "last") == 0
					    || strcmp(asked->suite, "check") == 0))
		return fail(STATUS_USAGE, "--plot cannot be used with --suite %s", asked->suite);
	if (asked->suite && strcmp(asked->suite, "sim") == 0)
		return device || asked->json
			? fail(STATUS_USAGE, "--device and --json cannot be used with --suite sim")
			: STATUS_OK;
	if (!asked->suite)
		return device || asked->json
			? fail(STATUS_USAGE, "--device and --json need --suite") : STATUS_OK;
	if (asked->sim)
		return fail(STATUS_USAGE, "--sim and --suite are mutually exclusive (--device sim "
			    "runs a suite on the simulator)");
	if (strcmp(asked->suite, "view") == 0)
		return device || asked->json
			? fail(STATUS_USAGE, "--device and --json cannot be used with --suite view")
			: STATUS_OK;
	if (strcmp(asked->suite, "check") == 0 && device)
		return fail(STATUS_USAGE, "--device cannot be used with --suite check");
	if (strcmp(asked->suite, "last") == 0 && asked->json)
		return fail(STATUS_USAGE, "--json cannot be used with --suite last");
	return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
	struct asked asked = { .runs = 7 };

	TRY(read_options(argc, argv, &asked));
	TRY(check_options(&asked));
	if (asked.suite && strcmp(asked.suite, "view") == 0)
		return bench_view(asked.trace, asked.plot);
	if (asked.suite && strcmp(asked.suite, "last") == 0)
		return bench_last(asked.device ? asked.device : "sim", (int)asked.runs);
	if (asked.suite && strcmp(asked.suite, "check") == 0)
		return bench_check((int)asked.runs, asked.json);
	if (asked.suite && strcmp(asked.suite, "seeds") == 0)
		return bench_seeds(asked.device ? asked.device : "cuda", (int)asked.runs,
				   asked.json, asked.plot);
	TRY(bench_sim((int)asked.runs, asked.plot));
	TRY(bench_speed((int)asked.runs));
	return bench_trace((int)asked.runs);
}

const struct command cmd_bench = {
	.summary = "measure the simulator, the cost of recording, and attention on a GPU",
	.usage =
	"usage: flashtwin bench [--sim] [--runs N] [--plot FILE]\n"
	"       flashtwin bench --suite seeds [--device cuda|sim] [--runs N] [--json]\n"
	"                       [--plot FILE]\n"
	"       flashtwin bench --suite view [T.twin] [--plot FILE]\n"
	"       flashtwin bench --suite last [--device cuda|sim] [--runs N]\n"
	"       flashtwin bench --suite check [--runs N] [--json]\n\n"
	"Measures on this machine and prints medians.\n\n",
	.examples =
	"  flashtwin bench --sim --runs 15\n"
	"  flashtwin bench --suite seeds --plot claims.svg >claims.md\n"
	"  flashtwin bench --suite view\n"
	"  flashtwin bench --suite last --runs 31\n"
	"  flashtwin bench --suite check\n",
	.run = run,
};
