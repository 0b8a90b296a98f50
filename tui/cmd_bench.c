/* cmd_bench.c - `flashtwin bench`: measurements of flashtwin, each with a reference to compare. */
#include "config.h"

#include <string.h>

#include "base/output.h"
#include "tui/bench/bench.h"
#include "tui/command.h"
#include "tui/options.h"

enum { RUNS = 7 };

struct asked {
	const char *suite, *device;     /* NULL: not given */
	const char *trace;              /* of --suite view; NULL: one is recorded */
	const char *plot;               /* NULL: none */
	const char *rungs, *shape, *kv_dtype;      /* of --suite decode */
	int queries;                    /* of the same; 0: not given */
	bool sim, json, list;
	int64_t runs;                   /* 0: not given */
	char **files;                   /* [file_count] of --suite decode */
	int file_count;
};

static bool is_suite(const struct asked *asked, const char *name)
{
	return asked->suite && strcmp(asked->suite, name) == 0;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct asked *asked = context;

	switch (v->id) {
	case OPTION_BENCH_SIM: asked->sim = true; break;
	case OPTION_SUITE: asked->suite = v->text; break;
	case OPTION_BENCH_DEVICE: asked->device = v->text; break;
	case OPTION_BENCH_JSON: asked->json = true; break;
	case OPTION_BENCH_PLOT: asked->plot = v->text; break;
	case OPTION_BENCH_RUNG: asked->rungs = v->text; break;
	case OPTION_BENCH_SHAPE: asked->shape = v->text; break;
	case OPTION_BENCH_KV_DTYPE: asked->kv_dtype = v->text; break;
	case OPTION_BENCH_QUERIES: asked->queries = (int)v->integer; break;
	case OPTION_BENCH_LIST: asked->list = true; break;
	case OPTION_SAMPLES: asked->runs = v->integer; break;
	default: break;
	}
	return STATUS_OK;
}

static enum status read_options(int argc, char **argv, struct asked *asked)
{
	int rest;

	TRY(options_parse(COMMAND_BENCH, argc, argv, take_option, asked, &rest));
	if (is_suite(asked, "view") && rest < argc)
		asked->trace = argv[rest++];
	if (is_suite(asked, "decode")) {
		asked->files = argv + rest;
		asked->file_count = argc - rest;
		rest = argc;
	}
	return option_none_left(argc, argv, rest);
}

/* Options of --suite decode only. */
static enum status check_decode(const struct asked *asked)
{
	const char *own = asked->rungs ? "--rung" : asked->shape ? "--shape"
		: asked->kv_dtype ? "--kv-dtype" : asked->queries ? "--queries"
		: asked->list ? "--list" : NULL;
	bool measures = asked->device || own || asked->runs;

	if (!is_suite(asked, "decode"))
		return own ? fail(STATUS_USAGE, "%s needs --suite decode", own) : STATUS_OK;
	if (asked->file_count > 0 && measures)
		return fail(STATUS_USAGE, "saved results such as %s cannot be used with options of "
			    "measuring", asked->files[0]);
	if (asked->list && asked->plot)
		return fail(STATUS_USAGE, "--list and --plot are mutually exclusive");
	return STATUS_OK;
}

static enum status check_options(const struct asked *asked)
{
	const char *device = asked->device;

	TRY(check_decode(asked));
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

static enum status run_decode(const struct asked *asked)
{
	return bench_decode_rungs(&(struct bench_decode_request){
		.device = asked->device ? asked->device : "cuda", .rungs = asked->rungs,
		.shape = asked->shape, .kv_dtype = asked->kv_dtype,
		.queries = asked->queries, .runs = (int)asked->runs,
		.list = asked->list, .json = asked->json, .plot = asked->plot,
		.files = asked->files, .file_count = asked->file_count });
}

static enum status run(int argc, char **argv)
{
	struct asked asked = { 0 };
	int runs;

	TRY(read_options(argc, argv, &asked));
	TRY(check_options(&asked));
	runs = asked.runs ? (int)asked.runs : RUNS;
	if (is_suite(&asked, "decode"))
		return run_decode(&asked);
	if (is_suite(&asked, "view"))
		return bench_view(asked.trace, asked.plot);
	if (is_suite(&asked, "last"))
		return bench_last(asked.device ? asked.device : "sim", runs);
	if (is_suite(&asked, "check"))
		return bench_check(runs, asked.json);
	if (is_suite(&asked, "seeds"))
		return bench_seeds(asked.device ? asked.device : "cuda", runs, asked.json,
				   asked.plot);
	TRY(bench_sim(runs, asked.plot));
	TRY(bench_speed(runs));
	return bench_trace(runs);
}

const struct command cmd_bench = {
	.summary = "measure the simulator, the cost of recording, and attention on a GPU",
	.usage =
	"usage: flashtwin bench [--sim] [--runs N] [--plot FILE]\n"
	"       flashtwin bench --suite seeds [--device cuda|sim] [--runs N] [--json]\n"
	"                       [--plot FILE]\n"
	"       flashtwin bench --suite decode [--device cuda|sim] [--rung all|N,N,...]\n"
	"                       [--shape LIST|SHAPE] [--kv-dtype TYPE] [--queries T] [--runs N]\n"
	"                       [--list] [--json] [--plot FILE]\n"
	"       flashtwin bench --suite decode RESULTS.json... [--json] [--plot FILE]\n"
	"       flashtwin bench --suite view [T.twin] [--plot FILE]\n"
	"       flashtwin bench --suite last [--device cuda|sim] [--runs N]\n"
	"       flashtwin bench --suite check [--runs N] [--json]\n\n"
	"Measures on this machine and prints medians.\n\n",
	.examples =
	"  flashtwin bench --sim --runs 15\n"
	"  flashtwin bench --suite seeds --plot claims.svg >claims.md\n"
	"  flashtwin bench --suite decode --json >ladder.json\n"
	"  flashtwin bench --suite decode --rung 6,best --shape 1,32/8,128,4K\n"
	"  flashtwin bench --suite decode ladder.json --plot ladder.svg >ladder.md\n"
	"  flashtwin bench --suite view\n"
	"  flashtwin bench --suite last --runs 31\n"
	"  flashtwin bench --suite check\n",
	.run = run,
};
