/* run.c - runs a command's work on one or two devices, and records it on request; see run.h.
 * tui/run_options.c has the options. */
#include "tui/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"
#include "engine/attention/path_ladder.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay.h"
#include "engine/replay/replay_clock.h"
#include "traces/diff/diff.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/counters.h"
#include "tui/diff_text.h"
#include "tui/findings.h"
#include "tui/last_run.h"
#include "tui/orders.h"

/* --- the run --- */

struct run {
	const struct run_options *options;
	const char *command;
	char *asked;                    /* JSON for the trace */
	run_fn *fn;
	void *context;
	struct store *store;            /* NULL: not recorded */
	char *last;                     /* where the run is kept; NULL: with -o, or nowhere */
	struct device *devices[2];      /* open and not yet used */
	const char *names[2];
	int64_t runs[2];                /* in the store */
	char found[64];                 /* message of the checker, "2 findings"; "": none */
	int count;
};

static enum status open_devices(struct run *run)
{
	static const char *const both[] = { "sim", "cuda" };
	const struct device_options options = run_device_options(run->options);

	/* A program runs once: run_gpu() repeats what it did. */
	run->count = run_options_both(run->options) && !run->options->program ? 2 : 1;
	for (int i = 0; i < run->count; i++) {
		run->names[i] = run_options_both(run->options) ? both[i] : run->options->device;
		TRY(device_open(run->names[i], &options, &run->devices[i]));
		findings_warn_spacing(run->devices[i]);
	}
	return STATUS_OK;
}

static enum status open_store(struct run *run)
{
	const struct store_options options = {
		.force = run->options->force, .append = run->options->append,
	};

	if (run_options_keep(run->options))
		run->last = run->options->last ? xstrdup(run->options->last)
			: last_run_begin(run->command);
	if (run_options_recorded(run->options))
		return store_create(run->options->trace, &options, &run->store);
	return run->last ? last_run_record(&run->store) : STATUS_OK;
}

/* Without -o, --all-orders records partials, so that a difference can name an element. */
static enum log_level level_of(const struct run_options *options)
{
	return options->trace || options->level > LEVEL_PARTIALS || !options->orders
		? options->level : LEVEL_PARTIALS;
}

static enum status attach_recorder(struct run *run, int i, struct device **device)
{
	const struct recorder_options options = {
		.store = run->store, .level = level_of(run->options), .command = run->command,
		.path = run->options->path ? run->options->path->name : NULL,
		.options_json = run->asked,
		.seed = strcmp(run->names[i], "sim") == 0 ? run->options->seed : 0,
		.points = run->options->points, .log_at = run->options->log_at,
	};

	TRY(recorder_open(*device, &options, device));
	run->runs[i] = recorder_run(*device);
	return STATUS_OK;
}

/* Warns if nothing was recorded because the run did not reach any window: probably a mistake. */
static enum status check_window(const struct run *run, int64_t number)
{
	const char *window = run->options->log_at;
	struct store_run recorded;

	TRY(store_run_read(run->store, number, &recorded));
	if (recorded.launches == 0)
		fprintf(stderr, "flashtwin %s: --log-at %s: no %s %.*s was reached: 0 launches"
			" recorded\n", run->command, window, *window == 's' ? "step" : "launch",
			(int)strcspn(window, ".,"), window);
	store_run_free(&recorded);
	return STATUS_OK;
}

/* Reports counters and findings. run->found keeps the message of STATUS_FINDING for the end. */
static enum status report_findings(struct run *run, int i, const struct run_target *target,
				   json_t *report)
{
	json_t *list = json_object_get(report, "findings");
	enum status status;

	TRY(counters_report(target->device, run->store, run->runs[i],
			    json_object_get(report, "counters")));
	status = findings_report(target->device, run->options->quiet ? NULL : stderr, run->store,
				 run->runs[i], list, run->options->lint_fail);
	if (status != STATUS_FINDING)
		return status;
	snprintf(run->found, sizeof run->found, "%s", error_text());
	return STATUS_OK;
}

/* The target's device is to be closed by end_target(), even after a failure. */
static enum status begin_target(struct run *run, int i, struct run_target *target)
{
	*target = (struct run_target){
		.device = run->devices[i], .name = run->names[i], .first = i == 0,
	};
	run->devices[i] = NULL;         /* now owned by the target or the recorder */
	if (!run->store)
		return STATUS_OK;
	TRY(attach_recorder(run, i, &target->device));
	target->recorded = true;
	return STATUS_OK;
}

/* `status`: how the work on the target ended. */
static enum status end_target(struct run *run, int i, const struct run_target *target,
			      enum status status, json_t *report)
{
	enum status stored, ended = STATUS_OK;
	struct error_record error;

	error_save(&error);
	stored = report_findings(run, i, target, report);
	if (target->recorded)
		ended = recorder_finish(target->device, status);
	else
		device_close(target->device);
	TRY(error_first(status, &error, ended != STATUS_OK ? ended : stored));
	return target->recorded && run->options->log_at ? check_window(run, run->runs[i])
							: STATUS_OK;
}

static enum status run_one(struct run *run, int i, json_t *report)
{
	struct run_target target;

	TRY(begin_target(run, i, &target));
	return end_target(run, i, &target, run->fn(&target, run->context), report);
}

static enum status report_difference(const char *const names[2], const struct diff_report *found,
				     json_t *report)
{
	char *summary = diff_summary(found);

	fprintf(stderr, "%s and %s: %s\n", names[0], names[1], summary);
	free(summary);
	diff_print_items(stderr, found);
	json_object_set_new(report, "compared", diff_json(found));
	return found->differences > 0 ? command_differs() : STATUS_OK;
}

static enum status compare(struct run *run, json_t *report)
{
	const struct diff_options options = { .run_a = run->runs[0], .run_b = run->runs[1] };
	struct diff_report found = { 0 };
	enum status status = diff_runs(run->store, run->store, &options, &found);

	if (status == STATUS_OK)
		status = replay_leave_out_clock(run->store, run->store, &options, &found);
	if (status == STATUS_OK)
		status = report_difference(run->names, &found, report);
	diff_report_free(&found);
	return status;
}

/* Repeats what a program did on the simulator on a GPU, as another run of the trace. */
static enum status run_gpu(struct run *run, json_t *report)
{
	const struct replay_options options = { .device = "cuda", .out = run->store };
	struct replay_report replayed = { 0 };
	enum status status;

	run->names[1] = "cuda";
	status = replay_compare(run->store, run->runs[0], &options, &replayed);
	if (status == STATUS_OK) {
		json_array_append_new(json_object_get(report, "devices"), json_string("cuda"));
		status = report_difference(run->names, &replayed.diff, report);
	}
	diff_report_free(&replayed.diff);
	return status;
}

/* A finding under any seed counts like one in the recorded run. */
static enum status run_orders(struct run *run, json_t *report)
{
	const struct orders orders = {
		.trace = run->store, .run = run->runs[0], .count = run->options->orders,
		.jobs = run->options->jobs, .steps = (uint64_t)run->options->steps,
		.check = run->options->check, .lint_fail = run->options->lint_fail,
		.findings = json_object_get(report, "findings"),
	};
	enum status status = orders_try(&orders, report);

	if (status != STATUS_FINDING)
		return status;
	snprintf(run->found, sizeof run->found, "%s", error_text());
	return STATUS_OK;
}

static enum status open_all(struct run *run, json_t *report)
{
	json_object_set_new(report, "devices", json_array());
	if (run->options->check)
		json_object_set_new(report, "findings", json_array());
	if (run->options->count)
		json_object_set_new(report, "counters", json_array());
	TRY(open_devices(run));
	return open_store(run);
}

static void add_device(const struct run *run, int i, json_t *report)
{
	json_array_append_new(json_object_get(report, "devices"), json_string(run->names[i]));
}

static enum status run_all(struct run *run, json_t *report)
{
	TRY(open_all(run, report));
	for (int i = 0; i < run->count; i++) {
		TRY(run_one(run, i, report));
		add_device(run, i, report);
	}
	if (run->options->orders)
		return run_orders(run, report);
	return run->count == 2 ? compare(run, report) : STATUS_OK;
}

/* Adds the options that can change a result to those of the command; as JSON text. */
static char *describe(const struct run_options *options, json_t *asked)
{
	char *text;

	if (options->path) {
		json_object_set_new(asked, "path", json_string(options->path->name));
		json_object_set_new(asked, "chunk", json_integer(options->chunk));
		json_object_set_new(asked, "graph", json_string(graph_mode_name(
			path_graph_mode(options->path, options->graph))));
		json_object_set_new(asked, "warps", json_integer(options->warps));
		if (options->rung != LADDER_BEST)
			json_object_set_new(asked, "rung", json_integer(options->rung));
	}
	text = json_dumps(asked, JSON_COMPACT | JSON_SORT_KEYS);
	return text ? text : xstrdup("{}");
}

/* A run that failed is kept too, unless it ended before it began to record. */
static enum status close_store(struct run *run, enum status status)
{
	struct error_record error;

	error_save(&error);
	if (run->last && run->runs[0])
		last_run_keep(run->store, run->last, run->command);
	free(run->last);
	return error_first(status, &error, store_close(run->store));
}

/* Closes what is open. STATUS_FINDING wins over an error that followed from it, whose message is
 * kept. */
static enum status close_all(struct run *run, enum status status)
{
	struct error_record error;

	error_save(&error);
	for (int i = 0; i < run->count; i++)
		device_close(run->devices[i]);
	error_restore(&error);
	status = close_store(run, status);
	free(run->asked);
	if (!*run->found)
		return status;
	return run_has_results(status) ? fail(STATUS_FINDING, "%s", run->found)
				       : status_worse(status, STATUS_FINDING);
}

enum status run_on_devices(const struct run_options *options, const char *command, json_t *asked,
			   run_fn *fn, void *context, json_t *report)
{
	struct run run = {
		.options = options, .command = command, .asked = describe(options, asked), .fn = fn,
		.context = context,
	};

	return close_all(&run, run_all(&run, report));
}

/* --- work that does not return --- */

struct run_session {
	struct run run;
	struct run_target target;
	struct device *devices[MAX_RUN_DEVICES];        /* the first is the target's */
	int device_count;
	json_t *report;
};

static void close_more(struct run_session *session)
{
	while (session->device_count > 1)
		device_close(session->devices[--session->device_count]);
}

/* The other devices of --devices. */
static enum status open_more(struct run_session *session)
{
	struct device_options options = run_device_options(session->run.options);

	session->devices[0] = session->target.device;
	session->device_count = 1;
	for (int i = 1; i < session->run.options->devices; i++) {
		options.ordinal = i;
		TRY(device_open("sim", &options, &session->devices[i]));
		session->device_count = i + 1;
	}
	return STATUS_OK;
}

enum status run_begin(const struct run_options *options, const char *command, json_t *asked,
		      json_t *report, struct run_session **out)
{
	struct run_session *session = xcalloc(1, sizeof *session);
	struct run *run = &session->run;
	enum status status;

	*run = (struct run){
		.options = options, .command = command, .asked = describe(options, asked),
	};
	session->report = report;
	status = open_all(run, report);
	if (status == STATUS_OK)
		status = begin_target(run, 0, &session->target);
	if (status == STATUS_OK) {
		status = open_more(session);
		if (status != STATUS_OK) {
			close_more(session);
			status = end_target(run, 0, &session->target, status, report);
		}
	}
	if (status != STATUS_OK) {
		status = close_all(run, status);
		free(session);
		session = NULL;
	}
	*out = session;
	return status;
}

struct device *const *run_devices(const struct run_session *session, int *count)
{
	*count = session->device_count;
	return session->devices;
}

void run_note_findings(struct run_session *session)
{
	findings_report(session->target.device, NULL, NULL, 0,
			json_object_get(session->report, "findings"), false);
}

enum status run_end(struct run_session *session, enum status status)
{
	struct run *run = &session->run;

	bool worked = status == STATUS_OK;

	close_more(session);
	status = end_target(run, 0, &session->target, status, session->report);
	add_device(run, 0, session->report);
	if (worked && status == STATUS_OK && run->options->orders)
		status = run_orders(run, session->report);
	if (worked && status == STATUS_OK && run_options_both(run->options))
		status = run_gpu(run, session->report);
	status = close_all(run, status);
	free(session);
	return status;
}

/* --- results --- */

bool run_has_results(enum status status)
{
	return status == STATUS_OK || status == STATUS_DIFFERS
		|| (status == STATUS_FINDING && error_code() == 0);
}

bool run_has_failed(enum status status)
{
	return status == STATUS_DEVICE || status == STATUS_STEPS || status == STATUS_LIMIT
		|| status == STATUS_INTERNAL || (status == STATUS_FINDING && error_code() != 0);
}

void run_put_error(json_t *report, enum status status)
{
	json_t *error = json_object();
	char *text = visible_text(error_text());

	json_object_set_new(error, "status", json_string(status_name(status)));
	json_object_set_new(error, "code", error_code() ? json_integer(error_code())
			    : json_null());
	json_object_set_new(error, "message", json_string(text));
	json_object_set_new(report, "error", error);
	free(text);
}

enum status run_print_json(const json_t *object)
{
	char *text = json_dumps(object, JSON_INDENT(2) | JSON_PRESERVE_ORDER);

	visible_print_json(stdout, text ? text : "null");
	free(text);
	return putchar('\n') == EOF || ferror(stdout) ? command_stdout_failed() : STATUS_OK;
}

enum status run_print_failure(const struct run_options *options, json_t *report,
			      enum status status)
{
	struct error_record error;

	if (!options->json || !run_has_failed(status))
		return status;
	run_put_error(report, status);
	error_save(&error);
	TRY(run_print_json(report));
	error_restore(&error);
	return status;
}
