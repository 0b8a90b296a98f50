/* cmd_replay.c - `flashtwin replay`: runs a trace again and compares every bit.
 *
 * Prints one line per run. engine/replay/replay.h replays, traces/diff/diff.h compares. A trace
 * with users' kernels is replayed in a child process (tui/launch/isolate.h), so that a crash of a
 * kernel is reported as an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/xalloc.h"
#include "engine/replay/replay.h"
#include "tui/command.h"
#include "tui/counters.h"
#include "tui/diff_text.h"
#include "tui/findings.h"
#include "tui/launch/isolate.h"
#include "tui/launch/launch_replay.h"
#include "tui/launch/user_kernel.h"
#include "tui/options.h"
#include "tui/orders.h"
#include "tui/run.h"

#define MAX_JOBS 1024

struct replay_command {
	struct replay_options options;
	const char *trace, *out;
	int64_t run;                    /* 0: every run */
	int64_t orders;                 /* --all-orders, 0: one order */
	bool seed_given, level_given, json, lint_fail;
	json_t *findings;               /* of all replays so far; NULL without --check */
	json_t *counters;               /* and of their launches; NULL without --count */
	char found[64];                 /* "2 findings" of one of them; "": none */
	struct store_options out_options;
	struct launch_replay **launches;        /* per run from the first on; NULL: no launch's */
	int64_t first, last;            /* runs to replay */
	bool user_code;                 /* one of them is a run of `launch` */
	json_t *replays;                /* reports so far, for --json */
	int64_t differences;            /* so far */
	json_t *explained;              /* the first of them; NULL: none, or no --all-orders */
};

/* --- options --- */

enum { DEVICE = 1, RUN, SEED, ALL_ORDERS, JOBS, CHECK, LINT_FAIL, COUNT, STEPS, LOG, FORCE, APPEND,
	JSON };

static const struct option long_options[] = {
	{ "device", required_argument, NULL, DEVICE },
	{ "run", required_argument, NULL, RUN },
	{ "seed", required_argument, NULL, SEED },
	{ "all-orders", required_argument, NULL, ALL_ORDERS },
	{ "jobs", required_argument, NULL, JOBS },
	{ "check", no_argument, NULL, CHECK },
	{ "lint-fail", no_argument, NULL, LINT_FAIL },
	{ "count", no_argument, NULL, COUNT },
	{ "steps", required_argument, NULL, STEPS },
	{ "log", required_argument, NULL, LOG },
	{ "force", no_argument, NULL, FORCE },
	{ "append", no_argument, NULL, APPEND },
	{ "json", no_argument, NULL, JSON },
	{ NULL, 0, NULL, 0 }
};

static enum status take_jobs(struct replay_command *replay, const char *value)
{
	int64_t jobs;

	TRY(option_integer("--jobs", value, 1, MAX_JOBS, &jobs));
	replay->options.target.jobs = (int)jobs;
	return STATUS_OK;
}

static enum status take_steps(struct replay_command *replay, const char *value)
{
	int64_t steps;

	TRY(option_integer("--steps", value, 1, INT64_MAX, &steps));
	replay->options.target.steps = (uint64_t)steps;
	return STATUS_OK;
}

static enum status take_option(struct replay_command *replay, int c, const char *value)
{
	switch (c) {
	case DEVICE: replay->options.device = value; break;
	case RUN: return option_integer("--run", value, 1, INT64_MAX, &replay->run);
	case SEED:
		replay->seed_given = true;
		return option_u64("--seed", value, &replay->options.target.seed);
	case ALL_ORDERS:
		return option_integer("--all-orders", value, 1, MAX_ORDERS, &replay->orders);
	case JOBS: return take_jobs(replay, value);
	case CHECK: replay->options.target.check = true; break;
	case LINT_FAIL: replay->lint_fail = true; break;
	case COUNT: replay->options.target.check = replay->options.target.count = true; break;
	case STEPS: return take_steps(replay, value);
	case LOG:
		replay->level_given = true;
		return option_level("--log", value, &replay->options.level);
	case FORCE: replay->out_options.force = true; break;
	case APPEND: replay->out_options.append = true; break;
	case JSON: replay->json = true; break;
	case 'o': replay->out = value; break;
	}
	return STATUS_OK;
}

/* The output must not be the trace that is replayed. */
static enum status check_out(const struct replay_command *replay)
{
	if (!replay->out) {
		if (replay->out_options.force || replay->out_options.append)
			return fail(STATUS_USAGE, "--%s needs -o",
				    replay->out_options.force ? "force" : "append");
		return STATUS_OK;
	}
	if (output_is(replay->out, replay->trace))
		return fail(STATUS_USAGE, "-o %s is the trace that is replayed", replay->out);
	return STATUS_OK;
}

static enum status check_options(const struct replay_command *replay)
{
	const char *device = replay->options.device;

	if (strcmp(device, "sim") != 0 && strcmp(device, "cuda") != 0)
		return fail(STATUS_USAGE, "--device %s: there are sim and cuda", device);
	if (replay->options.target.check && strcmp(device, "sim") != 0)
		return fail(STATUS_USAGE, "--%s needs --device sim",
			    replay->options.target.count ? "count" : "check");
	if (replay->options.target.steps && strcmp(device, "sim") != 0)
		return fail(STATUS_USAGE, "--steps needs --device sim");
	if (replay->options.target.count && !replay->out && !replay->json)
		return fail(STATUS_USAGE, "--count needs -o or --json, which show what it counts");
	if (replay->level_given && !replay->out)
		return fail(STATUS_USAGE, "--log needs -o, which keeps what it records");
	if (replay->lint_fail && !replay->options.target.check)
		return fail(STATUS_USAGE, "--lint-fail needs --check");
	if (replay->seed_given && replay->orders)
		return fail(STATUS_USAGE,
			    "--seed contradicts --all-orders, which tries seeds 1 to %" PRId64,
			    replay->orders);
	if ((replay->seed_given || replay->orders) && strcmp(device, "sim") != 0)
		return fail(STATUS_USAGE, "--%s needs --device sim: a GPU picks its own order",
			    replay->orders ? "all-orders" : "seed");
	if (replay->out_options.force && replay->out_options.append)
		return fail(STATUS_USAGE,
			    "--force replaces a trace, --append adds to it: give one");
	return check_out(replay);
}

static enum status parse(struct replay_command *replay, int argc, char **argv)
{
	int c;

	TRY(option_next(argc, argv, "o:", long_options, &c));
	while (c != -1) {
		TRY(take_option(replay, c, optarg));
		TRY(option_next(argc, argv, "o:", long_options, &c));
	}
	if (argc - optind != 1)
		return fail(STATUS_USAGE, "one trace is needed, %d were given", argc - optind);
	replay->trace = argv[optind];
	return check_options(replay);
}

/* --- reporting --- */

static void report_text(const struct replay_command *replay, int64_t run,
			const struct replay_report *report)
{
	char operations[COUNT_TEXT], order[48] = "", *summary = diff_summary(&report->diff);

	if (replay->orders)
		snprintf(order, sizeof order, " under seed %" PRIu64, replay->options.target.seed);
	if (report->diff.notes)
		fprintf(stderr, "run %" PRId64 ": %s\n", run, report->diff.notes);
	printf("replayed %s operations on %s%s: %s\n", count_text(operations, report->operations),
	       replay->options.device, order, summary);
	diff_print_items(stdout, &report->diff);
	free(summary);
}

static json_t *report_json(const struct replay_command *replay, int64_t run,
			   const struct replay_report *report)
{
	json_t *object = diff_json(&report->diff);

	json_object_set_new(object, "run", json_integer((json_int_t)run));
	json_object_set_new(object, "device", json_string(replay->options.device));
	json_object_set_new(object, "seed", json_integer((json_int_t)replay->options.target.seed));
	json_object_set_new(object, "replayed", json_integer((json_int_t)report->operations));
	json_object_set_new(object, "profile", json_string(report->replayed_profile));
	json_object_set_new(object, "recorded_profile", json_string(report->recorded_profile));
	return object;
}

static void report_run(struct replay_command *replay, int64_t run,
		       const struct replay_report *report)
{
	if (report->other_profile)
		fprintf(stderr, "warning: run %" PRId64 " was recorded with profile %s and replayed"
			" with %s\n", run, report->recorded_profile, report->replayed_profile);
	if (replay->json)
		json_array_append_new(replay->replays, report_json(replay, run, report));
	else
		report_text(replay, run, report);
}

/* The overall result of all orders; each of them has already printed a line. */
static void report_orders(const struct replay_command *replay)
{
	if (replay->orders && !replay->json)
		printf("seeds 1 to %" PRId64 ": %s\n", replay->orders,
		       replay->differences ? "bits changed with the order" : "no bit changed");
}

static enum status report_all(const struct replay_command *replay)
{
	json_t *object;
	enum status status;

	report_orders(replay);
	if (!replay->json)
		return STATUS_OK;
	object = json_pack("{s:s, s:I, s:O}", "trace", replay->trace,
			   "differences", (json_int_t)replay->differences, "replays",
			   replay->replays);
	if (replay->findings)
		json_object_set(object, "findings", replay->findings);
	if (replay->explained)
		json_object_set(object, "all_orders", replay->explained);
	if (replay->counters)
		json_object_set(object, "counters", replay->counters);
	status = run_print_json(object);
	json_decref(object);
	return status;
}

/* --- the command --- */

/* Reports the counters and findings of a finished replay, and writes them to the output trace. */
static enum status take_findings(void *context, struct device *device, int64_t run)
{
	struct replay_command *replay = context;
	enum status status = counters_report(device, replay->options.out, run, replay->counters);

	if (status == STATUS_OK)
		status = findings_report(device, replay->options.out, run, replay->findings,
					 replay->lint_fail);
	if (status != STATUS_FINDING)
		return status;
	snprintf(replay->found, sizeof replay->found, "%s", error_text());
	return STATUS_OK;
}

static enum status replay_once(struct replay_command *replay, struct store *trace, int64_t run)
{
	struct replay_report report;
	enum status status = replay_compare(trace, run, &replay->options, &report);

	if (status == STATUS_OK) {
		report_run(replay, run, &report);
		replay->differences += report.diff.differences;
		if (replay->orders && report.diff.differences && !replay->explained) {
			replay->explained = json_object();
			status = orders_explain(trace, run, replay->options.target.seed,
						&report.diff, replay->findings,
						replay->json ? stderr : stdout, replay->explained);
		}
	}
	diff_report_free(&report.diff);
	return status;
}

static enum status replay_orders(struct replay_command *replay, struct store *trace, int64_t run)
{
	if (!replay->orders)
		return replay_once(replay, trace, run);
	for (int64_t seed = 1; seed <= replay->orders; seed++) {
		replay->options.target.seed = (uint64_t)seed;
		TRY(replay_once(replay, trace, run));
	}
	return STATUS_OK;
}

/* Prepares the runs of `launch`, whose kernels are in the trace. */
static enum status prepare_launches(struct replay_command *replay, struct store *trace)
{
	const struct user_source how = {
		.cuda = strcmp(replay->options.device, "cuda") == 0,
		/* Which explains what depends on the order. */
		.check = replay->options.target.check || replay->orders > 0,
		.steps = replay->options.target.steps > 0,
		.points = replay->options.level >= LEVEL_POINTS,
	};

	replay->first = replay->run ? replay->run : 1;
	if (replay->run)
		replay->last = replay->run;
	else
		TRY(store_run_count(trace, &replay->last));
	if (replay->last < replay->first)
		return STATUS_OK;
	replay->launches = xcalloc((size_t)(replay->last - replay->first) + 1,
				   sizeof *replay->launches);
	for (int64_t run = replay->first; run <= replay->last; run++) {
		struct launch_replay **launch = &replay->launches[run - replay->first];

		TRY(launch_replay_prepare(trace, run, &how, launch));
		replay->user_code |= *launch != NULL;
	}
	return STATUS_OK;
}

/* The trace must not be open when a child process is created. */
static enum status prepare(struct replay_command *replay)
{
	struct store *trace = NULL;
	enum status status = store_open(replay->trace, &trace);

	if (status == STATUS_OK)
		status = prepare_launches(replay, trace);
	store_close(trace);
	return status;
}

static enum status replay_runs(struct replay_command *replay, struct store *trace)
{
	for (int64_t run = replay->first; run <= replay->last; run++) {
		struct launch_replay *launch = replay->launches[run - replay->first];

		if (launch)
			TRY(launch_replay_load(launch));
		TRY(replay_orders(replay, trace, run));
	}
	TRY(report_all(replay));
	if (*replay->found)
		return fail(STATUS_FINDING, "%s", replay->found);
	return replay->differences ? command_differs() : STATUS_OK;
}

static enum status replay_trace(void *context)
{
	struct replay_command *replay = context;
	struct store *trace = NULL;
	enum status status = store_open(replay->trace, &trace), closed;

	if (status == STATUS_OK && replay->out)
		status = store_create(replay->out, &replay->out_options, &replay->options.out);
	if (status == STATUS_OK)
		status = replay_runs(replay, trace);
	store_close(trace);
	if (status != STATUS_OK && status != STATUS_DIFFERS && status != STATUS_FINDING) {
		struct error_record error;

		error_save(&error);
		store_close(replay->options.out);
		error_restore(&error);
		return status;
	}
	closed = store_close(replay->options.out);
	return closed != STATUS_OK ? closed : status;
}

static enum status run(int argc, char **argv)
{
	struct replay_command replay = { .options = { .device = "sim" }, .replays = json_array() };
	enum status status = parse(&replay, argc, argv);
	struct error_record error;

	if (replay.options.target.check) {
		replay.findings = json_array();
		replay.options.replayed = take_findings;
		replay.options.context = &replay;
	}
	if (replay.options.target.count)
		replay.counters = json_array();
	if (status == STATUS_OK)
		status = prepare(&replay);
	if (status == STATUS_OK)
		status = replay.user_code ? isolate_run(replay_trace, &replay)
			: replay_trace(&replay);
	if (command_interrupted())
		status = fail(STATUS_INTERRUPTED, "interrupted");
	error_save(&error);
	for (int64_t run = replay.first; replay.launches && run <= replay.last; run++)
		launch_replay_free(replay.launches[run - replay.first]);
	free(replay.launches);
	error_restore(&error);
	json_decref(replay.replays);
	json_decref(replay.findings);
	json_decref(replay.explained);
	json_decref(replay.counters);
	return status;
}

const struct command cmd_replay = {
	.name = "replay",
	.summary = "runs a trace again, on any device, and compares every bit",
	.help =
	"usage: flashtwin replay T.twin [OPTION...]\n\n"
	"Does every operation of the recorded runs again and compares digests, outputs, partials\n"
	"and named points with what was recorded. One line a run. Exit code 0: no bit differs,\n"
	"1: some do.\n\n"
	"  --device D         sim (default) or cuda\n"
	"  --run N            only this run of the trace\n"
	"  --seed N           order of lanes, warps, blocks and streams on the simulator (0: in\n"
	"                     order)\n"
	"  --all-orders K     replay under seeds 1 to K: does any bit depend on the order? If so, the\n"
	"                     checker says why\n"
	"  --jobs N           threads of the simulator (1)\n"
	"  --check            check accesses and barriers on the simulator; a finding: exit 4\n"
	"  --lint-fail        exit 4 for a lint too\n"
	RUN_HELP_COUNT
	"  -o T2.twin         keep the replay as a trace; an existing file is refused\n"
	"  --log LEVEL        keep partials or points too, where the trace has less\n"
	"  --force            replace it\n"
	"  --append           add the runs to it\n"
	"  --json             one JSON object on stdout\n"
	"\nexamples:\n"
	"  flashtwin replay h200.twin\n"
	"  flashtwin replay h200.twin --log points -o sim.twin\n"
	"  flashtwin replay sim.twin --device cuda -o gpu.twin\n"
	"  flashtwin replay t.twin --all-orders 20\n",
	.run = run,
};
