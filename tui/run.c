/* run.c - runs a command's work on one or two devices, and records it on request; see run.h. */
#include "tui/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"
#include "engine/record/probe.h"
#include "engine/record/recorder.h"
#include "traces/diff/diff.h"
#include "traces/store/log_at.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/counters.h"
#include "tui/diff_text.h"
#include "tui/findings.h"
#include "tui/last_run.h"
#include "tui/orders.h"

#define DEFAULT_CHUNK 128

/* --- options --- */

#define DEFAULT_CHECK_ORDERS 4

struct run_options run_options_default(void)
{
	return (struct run_options){
		.path = &path_flash_decoding,
		.device = "sim",
		.chunk = DEFAULT_CHUNK,
		.warps = 1,
		.jobs = 1,
		.check_orders = -1,
		.level = LEVEL_LAUNCH,
	};
}

int run_options_check_orders(const struct run_options *options)
{
	if (!options->check || options->orders)
		return 0;
	return options->check_orders < 0 ? DEFAULT_CHECK_ORDERS : options->check_orders;
}

void run_option_take(struct run_options *options, const struct option_value *v)
{
	switch (v->id) {
	case OPTION_PATH: options->path = path_find(v->text); break;
	case OPTION_DEVICE:
	case OPTION_REPLAY_DEVICE: options->device = v->text; break;
	case OPTION_GRAPH:
		options->graph = (enum graph_mode)v->choice;
		options->graph_given = true;
		break;
	case OPTION_CHUNK: options->chunk = (int)v->integer; break;
	case OPTION_WARPS: options->warps = (int)v->integer; break;
	case OPTION_SEED:
		options->seed = v->u64;
		options->seed_given = true;
		break;
	case OPTION_ALL_ORDERS: options->orders = v->integer; break;
	case OPTION_JOBS: options->jobs = (int)v->integer; break;
	case OPTION_CHECK: options->check = true; break;
	case OPTION_CHECK_ORDERS: options->check_orders = (int)v->integer; break;
	case OPTION_LINT_FAIL: options->lint_fail = true; break;
	case OPTION_COUNT_EVENTS: options->check = options->count = true; break;
	case OPTION_STEPS: options->steps = v->integer; break;
	case OPTION_JSON: options->json = true; break;
	case OPTION_TRACE:
	case OPTION_REPLAY_TRACE: options->trace = v->text; break;
	case OPTION_FORCE: options->force = true; break;
	case OPTION_APPEND: options->append = true; break;
	case OPTION_LOG:
	case OPTION_REPLAY_LOG:
		options->level = (enum log_level)v->choice;
		options->log_given = true;
		break;
	case OPTION_LOG_AT:
		options->log_at = v->text;
		options->log_given = true;
		break;
	case OPTION_POINTS:
		options->points = v->text;
		options->log_given = true;
		break;
	case OPTION_NO_RECORD: options->no_record = true; break;
	default: break;
	}
}

static bool on_both(const struct run_options *options)
{
	return strcmp(options->device, "both") == 0;
}

bool run_options_keep(const struct run_options *options)
{
	return !options->trace && !options->no_record;
}

/* Whether the run cannot do without a trace. */
static bool is_recorded(const struct run_options *options)
{
	return options->trace != NULL || on_both(options) || options->orders > 0;
}

static enum status check_graph(const struct run_options *options)
{
	const struct path *path = options->path;

	if (!path)
		return STATUS_OK;
	if (options->graph_given && options->graph == GRAPH_NONE && path->graph != GRAPH_NONE)
		return fail(STATUS_USAGE, "--graph none cannot be used with --path %s", path->name);
	return path_check_graph(path, options->graph);
}

static enum status check_orders(const struct run_options *options)
{
	if (options->orders == 0)
		return STATUS_OK;
	if (options->seed_given)
		return fail(STATUS_USAGE, "--all-orders and --seed are mutually exclusive");
	if (strcmp(options->device, "sim") != 0)
		return fail(STATUS_USAGE, "--all-orders cannot be used with --device %s: a GPU "
			    "picks its own order", options->device);
	if (options->log_at)
		return fail(STATUS_USAGE, "--all-orders cannot be used with --log-at: it replays "
			    "the whole run");
	return STATUS_OK;
}

enum status run_options_check(const struct run_options *options)
{
	struct log_at windows;

	TRY(check_graph(options));
	TRY(check_orders(options));
	if (options->no_record && is_recorded(options))
		return fail(STATUS_USAGE, "--no-record cannot be used with %s",
			    options->trace ? "-o"
			    : options->orders ? "--all-orders, which replays a recorded run"
			    : "--device both, which compares recorded runs");
	if ((options->force || options->append) && !options->trace)
		return fail(STATUS_USAGE, "--%s needs -o", options->force ? "force" : "append");
	if (options->force && options->append)
		return fail(STATUS_USAGE, "--force and --append are mutually exclusive");
	if (options->log_given && !is_recorded(options))
		return fail(STATUS_USAGE, "--log, --log-at and --points record: they need -o");
	if (options->points && options->level < LEVEL_POINTS)
		return fail(STATUS_USAGE, "--points needs --log points");
	if (options->check_orders >= 0 && !options->check)
		return fail(STATUS_USAGE, "--check-orders needs --check");
	if (options->lint_fail && !options->check)
		return fail(STATUS_USAGE, "--lint-fail needs --check");
	if ((options->check || options->steps) && strcmp(options->device, "cuda") == 0)
		return fail(STATUS_USAGE, "--%s needs the simulator: --device sim or both",
			    options->count ? "count" : options->check ? "check" : "steps");
	if (options->count && !is_recorded(options) && !options->json)
		return fail(STATUS_USAGE, "--count needs -o or --json, which show what it counts");
	TRY(probe_check_filter(options->points));
	TRY(log_at_parse(options->log_at, &windows));
	log_at_free(&windows);
	return STATUS_OK;
}

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

	run->count = on_both(run->options) ? 2 : 1;
	for (int i = 0; i < run->count; i++) {
		const struct device_options options = {
			.seed = run->options->seed, .jobs = run->options->jobs,
			.poison = is_recorded(run->options) || run_options_keep(run->options),
			.check = run->options->check, .count = run->options->count,
			.check_orders = run_options_check_orders(run->options),
			.steps = (uint64_t)run->options->steps,
		};

		run->names[i] = run->count == 2 ? both[i] : run->options->device;
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
	if (is_recorded(run->options))
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
	status = findings_report(target->device, run->store, run->runs[i], list,
				 run->options->lint_fail);
	if (status != STATUS_FINDING)
		return status;
	snprintf(run->found, sizeof run->found, "%s", error_text());
	return STATUS_OK;
}

static enum status run_one(struct run *run, int i, json_t *report)
{
	struct run_target target = {
		.device = run->devices[i], .name = run->names[i],
		.recorded = run->store != NULL, .first = i == 0,
	};
	enum status status, stored, ended = STATUS_OK;
	struct error_record error;

	run->devices[i] = NULL;         /* now owned by the target or the recorder */
	if (target.recorded)
		TRY(attach_recorder(run, i, &target.device));
	status = run->fn(&target, run->context);
	error_save(&error);
	stored = report_findings(run, i, &target, report);
	if (target.recorded)
		ended = recorder_finish(target.device, status);
	else
		device_close(target.device);
	TRY(error_first(status, &error, ended != STATUS_OK ? ended : stored));
	return target.recorded && run->options->log_at ? check_window(run, run->runs[i])
						       : STATUS_OK;
}

static enum status compare(struct run *run, json_t *report)
{
	const struct diff_options options = { .run_a = run->runs[0], .run_b = run->runs[1] };
	struct diff_report found = { 0 };
	enum status status = diff_runs(run->store, run->store, &options, &found);

	if (status == STATUS_OK) {
		char *summary = diff_summary(&found);

		fprintf(stderr, "%s and %s: %s\n", run->names[0], run->names[1], summary);
		free(summary);
		diff_print_items(stderr, &found);
		json_object_set_new(report, "compared", diff_json(&found));
		if (found.differences > 0)
			status = command_differs();
	}
	diff_report_free(&found);
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

static enum status run_all(struct run *run, json_t *report)
{
	json_t *devices = json_array();

	json_object_set_new(report, "devices", devices);
	if (run->options->check)
		json_object_set_new(report, "findings", json_array());
	if (run->options->count)
		json_object_set_new(report, "counters", json_array());
	TRY(open_devices(run));
	TRY(open_store(run));
	for (int i = 0; i < run->count; i++) {
		TRY(run_one(run, i, report));
		json_array_append_new(devices, json_string(run->names[i]));
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

enum status run_on_devices(const struct run_options *options, const char *command, json_t *asked,
			   run_fn *fn, void *context, json_t *report)
{
	struct run run = {
		.options = options, .command = command, .asked = describe(options, asked), .fn = fn,
		.context = context,
	};
	enum status status = run_all(&run, report);
	struct error_record error;

	error_save(&error);
	for (int i = 0; i < run.count; i++)
		device_close(run.devices[i]);
	error_restore(&error);
	status = close_store(&run, status);
	free(run.asked);
	if (!*run.found)
		return status;
	/* STATUS_FINDING wins over an error that followed from it, whose message is kept. */
	return run_has_results(status) ? fail(STATUS_FINDING, "%s", run.found)
				       : status_worse(status, STATUS_FINDING);
}

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
