/* cmd_replay.c - `flashtwin replay`: runs a trace again and compares every bit.
 *
 * Prints one line per run. engine/replay/replay.h replays, traces/diff/diff.h compares. A trace
 * with users' kernels is replayed in a child process (tui/launch/isolate.h), so that a crash of a
 * kernel is reported as an error.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "engine/replay/replay.h"
#include "tui/command.h"
#include "tui/counters.h"
#include "tui/diff_text.h"
#include "tui/findings.h"
#include "tui/last_run.h"
#include "tui/launch/isolate.h"
#include "tui/launch/launch_replay.h"
#include "tui/launch/new_trace.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_kernel.h"
#include "tui/options.h"
#include "tui/orders.h"
#include "tui/run.h"

struct replay_command {
	struct run_options run;         /* as given */
	struct replay_options options;  /* made from them */
	const char *trace;
	int64_t only;                   /* --run; 0: every run */
	json_t *findings;               /* of all replays so far; NULL without --check */
	json_t *counters;               /* and of their launches; NULL without --count */
	char found[64];                 /* "2 findings" of one of them; "": none */
	struct launch_replay **launches;        /* per run from the first on; NULL: no launch's */
	int64_t first, last;            /* runs to replay */
	bool trust;                     /* --trust: their kernels may run here */
	bool user_code;                 /* one of them is a run of `launch` */
	struct sandbox_options limits;
	struct sandbox *sandbox;        /* NULL if it is not needed */
	struct new_trace trace_out;     /* of a process in the sandbox */
	struct isolated job;
	json_t *replays;                /* reports so far, for --json */
	int64_t differences;            /* so far */
	json_t *explained;              /* the first of them; NULL: none, or no --all-orders */
};

/* --- options --- */

static enum status take_option(void *context, const struct option_value *v)
{
	struct replay_command *replay = context;

	if (v->id == OPTION_RUN)
		replay->only = v->integer;
	else if (v->id == OPTION_TRUST)
		replay->trust = true;
	else if (v->id == OPTION_TIMEOUT)
		replay->limits.timeout = v->integer;
	else if (v->id == OPTION_SANDBOX)
		replay->limits.mode = (enum sandbox_mode)v->choice;
	else
		run_option_take(&replay->run, v);
	return STATUS_OK;
}

/* The output must not be the trace that is replayed. */
static enum status check_out(const struct replay_command *replay)
{
	const struct run_options *run = &replay->run;

	if (run->force && run->append)
		return fail(STATUS_USAGE, "--force and --append are mutually exclusive");
	if (!run->trace && (run->force || run->append))
		return fail(STATUS_USAGE, "--%s needs -o", run->force ? "force" : "append");
	if (run->trace && output_is(run->trace, replay->trace))
		return fail(STATUS_USAGE, "-o %s is the trace that is replayed", run->trace);
	return STATUS_OK;
}

static enum status check_options(const struct replay_command *replay)
{
	const struct run_options *run = &replay->run;
	bool on_sim = strcmp(run->device, "sim") == 0;

	if (run->check && !on_sim)
		return fail(STATUS_USAGE, "--%s needs --device sim",
			    run->count ? "count" : "check");
	if (run->steps && !on_sim)
		return fail(STATUS_USAGE, "--steps needs --device sim");
	if (run->count && !run->trace && !run->json)
		return fail(STATUS_USAGE, "--count needs -o or --json, which show what it counts");
	if (run->log_given && !run->trace)
		return fail(STATUS_USAGE, "--log needs -o, which keeps what it records");
	if (run->check_orders >= 0 && !run->check)
		return fail(STATUS_USAGE, "--check-orders needs --check");
	if (run->lint_fail && !run->check)
		return fail(STATUS_USAGE, "--lint-fail needs --check");
	if (run->seed_given && run->orders)
		return fail(STATUS_USAGE, "--all-orders and --seed are mutually exclusive");
	if ((run->seed_given || run->orders) && !on_sim)
		return fail(STATUS_USAGE, "--%s needs --device sim: a GPU picks its own order",
			    run->orders ? "all-orders" : "seed");
	return check_out(replay);
}

static enum status parse(struct replay_command *replay, int argc, char **argv)
{
	const struct run_options *run = &replay->run;
	int rest;

	TRY(options_parse(COMMAND_REPLAY, argc, argv, take_option, replay, &rest));
	TRY(last_run_traces(argc, argv, rest, 1, &replay->trace, NULL));
	replay->options = (struct replay_options){
		.device = run->device, .level = run->level,
		.target = {
			.seed = run->seed, .jobs = run->jobs, .check = run->check,
			.check_orders = run_options_check_orders(run),
			.count = run->count, .steps = (uint64_t)run->steps,
		},
	};
	return check_options(replay);
}

/* --- reporting --- */

static void report_text(const struct replay_command *replay, int64_t run,
			const struct replay_report *report)
{
	char *summary = diff_summary(&report->diff), *coverage = diff_coverage(&report->diff);
	char operations[COUNT_TEXT], order[48] = "";

	if (replay->run.orders)
		snprintf(order, sizeof order, " under seed %" PRIu64, replay->options.target.seed);
	if (report->diff.notes) {
		fprintf(stderr, "run %" PRId64 ": ", run);
		visible_print(stderr, report->diff.notes);
		putc('\n', stderr);
	}
	printf("replayed %s operations on %s%s: %s%s\n",
	       count_text(operations, report->operations), replay->options.device, order, coverage,
	       summary);
	diff_print_items(stdout, &report->diff);
	free(coverage);
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
	if (report->other_profile) {
		char *recorded = visible_text(report->recorded_profile);

		fprintf(stderr, "warning: run %" PRId64 " was recorded with profile %s and replayed"
			" with %s\n", run, recorded, report->replayed_profile);
		free(recorded);
	}
	if (replay->run.json)
		json_array_append_new(replay->replays, report_json(replay, run, report));
	else
		report_text(replay, run, report);
}

/* The overall result of all orders; each of them has already printed a line. */
static void report_orders(const struct replay_command *replay)
{
	if (replay->run.orders && !replay->run.json)
		printf("seeds 1 to %" PRId64 ": %s\n", replay->run.orders,
		       replay->differences ? "bits changed with the order" : "no bit changed");
}

/* Prints the object that --json asks for, with the error if there is one. */
static enum status report_json_all(struct replay_command *replay, enum status failed)
{
	json_t *object;
	enum status status;

	object = json_pack("{s:s, s:I, s:O}", "trace", replay->trace,
			   "differences", (json_int_t)replay->differences, "replays",
			   replay->replays);
	if (replay->findings)
		json_object_set(object, "findings", replay->findings);
	if (replay->explained)
		json_object_set(object, "all_orders", replay->explained);
	if (replay->counters)
		json_object_set(object, "counters", replay->counters);
	if (failed != STATUS_OK)
		run_put_error(object, failed);
	if (replay->sandbox) {          /* the parent prints it: this process may run other code */
		replay->job.answer = object;
		replay->job.has_results = failed == STATUS_OK;
		return STATUS_OK;
	}
	status = run_print_json(object);
	json_decref(object);
	return status;
}

/* Reports what was replayed. `status`: how the replays ended; returned unless reporting fails. */
static enum status report_all(struct replay_command *replay, enum status status)
{
	struct error_record error;

	if (status == STATUS_OK)
		report_orders(replay);
	if (!replay->run.json || (status != STATUS_OK && !run_has_failed(status)))
		return status;
	error_save(&error);
	TRY(report_json_all(replay, status));
	error_restore(&error);
	return status;
}

/* --- the command --- */

/* Reports the counters and findings of a finished replay, and writes them to the output trace. */
static enum status take_findings(void *context, struct device *device, int64_t run)
{
	struct replay_command *replay = context;
	enum status status = counters_report(device, replay->options.out, run, replay->counters);

	if (status == STATUS_OK)
		status = findings_report(device, stderr, replay->options.out, run, replay->findings,
					 replay->run.lint_fail);
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
		if (replay->run.orders && report.diff.differences && !replay->explained) {
			replay->explained = json_object();
			status = orders_explain(trace, run, replay->options.target.seed,
						&report.diff, replay->findings,
						replay->run.json ? stderr : stdout,
						replay->explained);
		}
	}
	diff_report_free(&report.diff);
	return status;
}

static enum status replay_orders(struct replay_command *replay, struct store *trace, int64_t run)
{
	if (!replay->run.orders)
		return replay_once(replay, trace, run);
	for (int64_t seed = 1; seed <= replay->run.orders; seed++) {
		replay->options.target.seed = (uint64_t)seed;
		TRY(replay_once(replay, trace, run));
	}
	return STATUS_OK;
}

/* A kernel that a trace brings along is native code of whoever recorded it. */
static enum status check_trust(const struct replay_command *replay, int64_t run)
{
	if (replay->trust)
		return STATUS_OK;
	return fail(STATUS_USAGE, "%s: run %" PRId64 " would compile and run a kernel from the"
		    " trace: --trust allows it, if you trust who recorded it", replay->trace, run);
}

/* Finds the runs to replay, and whether a user's kernel is among them. */
static enum status find_runs(struct replay_command *replay, struct store *trace)
{
	TRY(store_run_count(trace, &replay->last));
	if (replay->only > replay->last)
		return fail(STATUS_USAGE, "%s: no run %" PRId64, replay->trace, replay->only);
	replay->first = replay->only ? replay->only : 1;
	if (replay->only)
		replay->last = replay->only;
	for (int64_t run = replay->first; run <= replay->last; run++) {
		bool needed;

		TRY(launch_replay_needed(trace, run, &needed));
		if (needed)
			TRY(check_trust(replay, run));
		replay->user_code |= needed;
	}
	return STATUS_OK;
}

/* What compilers and kernels of the trace may reach, if there are any; also used for --timeout. */
static enum status make_sandbox(struct replay_command *replay)
{
	if (!replay->user_code && !replay->limits.timeout)
		return STATUS_OK;
	command_defer_signals();        /* so that processes are ended and files are removed */
	if (!replay->user_code)         /* our own kernels need no sandbox, only its clock */
		replay->limits.mode = SANDBOX_NO;
	replay->limits.command = "replay";
	replay->limits.gpu = strcmp(replay->options.device, "cuda") == 0;
	TRY(sandbox_create(&replay->limits, &replay->sandbox));
	sandbox_show(replay->sandbox, replay->trace);
	TRY(new_trace_begin(&replay->trace_out, replay->run.trace, replay->run.force,
			    replay->run.append, replay->sandbox));
	replay->run.trace = replay->trace_out.inside;
	return STATUS_OK;
}

/* Prepares the runs of `launch`, whose kernels are in the trace. */
static enum status prepare_launches(struct replay_command *replay, struct store *trace)
{
	const struct user_source how = {
		.cuda = strcmp(replay->options.device, "cuda") == 0,
		/* Which explains what depends on the order. */
		.check = replay->options.target.check || replay->run.orders > 0,
		.steps = replay->options.target.steps > 0,
		.points = replay->options.level >= LEVEL_POINTS,
		.sandbox = replay->sandbox,
	};

	replay->launches = xcalloc((size_t)(replay->last - replay->first) + 1,
				   sizeof *replay->launches);
	for (int64_t run = replay->first; run <= replay->last; run++)
		TRY(launch_replay_prepare(trace, run, &how,
					  &replay->launches[run - replay->first]));
	return STATUS_OK;
}

/* The trace must not be open when a child process is created. */
static enum status prepare(struct replay_command *replay)
{
	struct store *trace = NULL;
	enum status status = store_open(replay->trace, &trace);

	if (status == STATUS_OK)
		status = find_runs(replay, trace);
	if (status == STATUS_OK)
		status = make_sandbox(replay);
	if (status == STATUS_OK && replay->last >= replay->first)
		status = prepare_launches(replay, trace);
	store_close(trace);
	return status;
}

static enum status replay_each(struct replay_command *replay, struct store *trace)
{
	for (int64_t run = replay->first; run <= replay->last; run++) {
		struct launch_replay *launch = replay->launches[run - replay->first];

		if (launch)
			TRY(launch_replay_load(launch));
		replay->options.target.leaks_are_lints = launch
			&& launch_replay_is_program(launch);
		TRY(replay_orders(replay, trace, run));
	}
	return STATUS_OK;
}

static enum status replay_runs(struct replay_command *replay, struct store *trace)
{
	TRY(report_all(replay, replay_each(replay, trace)));
	if (*replay->found)
		return fail(STATUS_FINDING, "%s", replay->found);
	return replay->differences ? command_differs() : STATUS_OK;
}

static enum status replay_trace(void *context)
{
	struct replay_command *replay = context;
	const struct store_options how = {
		.force = replay->run.force, .append = replay->run.append,
	};
	struct store *trace = NULL;
	enum status status = store_open(replay->trace, &trace), closed;

	if (status == STATUS_OK && replay->run.trace)
		status = store_create(replay->run.trace, &how, &replay->options.out);
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

static enum status replay_in_child(void *context)
{
	struct replay_command *replay = context;

	if (replay->run.json && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return fail(STATUS_IO, "standard output: %s", strerror(errno));
	return replay_trace(replay);
}

static enum status replay_isolated(struct replay_command *replay)
{
	struct isolated *job = &replay->job;
	struct error_record error;
	enum status status, written = STATUS_OK;

	*job = (struct isolated){
		.fn = replay_in_child, .context = replay, .sandbox = replay->sandbox,
		.gpu = replay->limits.gpu, .check = replay->options.target.check,
		.checker = replay->options.target.check || replay->run.orders > 0,
	};
	status = isolate_run(job);
	error_save(&error);
	if (job->answer && (job->has_results ? run_has_results(status) : run_has_failed(status)))
		written = run_print_json(job->answer);
	if (written != STATUS_OK)
		return written;
	error_restore(&error);
	return status;
}

static enum status run(int argc, char **argv)
{
	struct replay_command replay = { .run = run_options_default(), .replays = json_array() };
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
		status = replay.sandbox ? replay_isolated(&replay) : replay_trace(&replay);
	if (command_interrupted() || command_ended())
		status = fail(STATUS_INTERRUPTED, "interrupted");
	status = new_trace_end(&replay.trace_out, status != STATUS_INTERRUPTED, status);
	error_save(&error);
	for (int64_t run = replay.first; replay.launches && run <= replay.last; run++)
		launch_replay_free(replay.launches[run - replay.first]);
	free(replay.launches);
	sandbox_close(replay.sandbox);
	json_decref(replay.job.answer);
	command_end();
	error_restore(&error);
	json_decref(replay.replays);
	json_decref(replay.findings);
	json_decref(replay.explained);
	json_decref(replay.counters);
	return status;
}

const struct command cmd_replay = {
	.summary = "runs a trace again, on any device, and compares every bit",
	.usage =
	"usage: flashtwin replay [T.twin] [OPTION...]\n\n"
	"Does every operation of the recorded runs again and compares digests, outputs, partials\n"
	"and named points with what was recorded. One line a run. Without a trace, replays the\n"
	"last run. Exit code 0: no bit differs, 1: some do.\n\n",
	.examples =
	"  flashtwin replay h200.twin\n"
	"  flashtwin replay h200.twin --log points -o sim.twin\n"
	"  flashtwin replay sim.twin --device cuda -o gpu.twin\n"
	"  flashtwin replay t.twin --all-orders 20\n"
	"  flashtwin replay mine.twin --trust       a trace of `launch` or `run`, your own\n",
	.run = run,
};
