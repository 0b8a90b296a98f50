/* run.c - runs a command's work on one or two devices, and records it on request; see run.h. */
#include "tui/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
#include "tui/orders.h"

#define DEFAULT_CHUNK 128
#define MAX_JOBS 1024

/* --- options --- */

struct run_options run_options_default(void)
{
	return (struct run_options){
		.path = &path_flash_decoding,
		.device = "sim",
		.chunk = DEFAULT_CHUNK,
		.warps = 1,
		.jobs = 1,
		.level = LEVEL_LAUNCH,
	};
}

static enum status take_path(struct run_options *options, const char *name)
{
	options->path = path_find(name);
	if (options->path != NULL)
		return STATUS_OK;
	return fail(STATUS_USAGE, "--path %s: there is no such path (flashtwin info lists them)",
		    name);
}

static enum status take_graph(struct run_options *options, const char *name)
{
	options->graph_given = true;
	for (int mode = 0; mode < GRAPH_MODES; mode++) {
		options->graph = (enum graph_mode)mode;
		if (strcmp(name, graph_mode_name(options->graph)) == 0)
			return STATUS_OK;
	}
	return fail(STATUS_USAGE, "--graph %s: there are none, capture and manual", name);
}

static enum status take_device(struct run_options *options, const char *name)
{
	options->device = name;
	if (strcmp(name, "sim") == 0 || strcmp(name, "cuda") == 0 || strcmp(name, "both") == 0)
		return STATUS_OK;
	return fail(STATUS_USAGE, "--device %s: there are sim, cuda and both", name);
}

static enum status take_int(const char *name, const char *text, int least, int greatest, int *out)
{
	int64_t value;

	TRY(option_integer(name, text, least, greatest, &value));
	*out = (int)value;
	return STATUS_OK;
}

enum status run_option_take(struct run_options *options, int c, const char *value)
{
	options->log_given |= c == RUN_LOG || c == RUN_LOG_AT || c == RUN_POINTS;
	switch (c) {
	case RUN_PATH: return take_path(options, value);
	case RUN_DEVICE: return take_device(options, value);
	case RUN_GRAPH: return take_graph(options, value);
	case RUN_CHUNK: return take_int("--chunk", value, 0, MAX_CHUNK, &options->chunk);
	case RUN_WARPS: return take_int("--warps", value, 1, 2, &options->warps);
	case RUN_SEED:
		options->seed_given = true;
		return option_u64("--seed", value, &options->seed);
	case RUN_ALL_ORDERS:
		return option_integer("--all-orders", value, 1, MAX_ORDERS, &options->orders);
	case RUN_JOBS: return take_int("--jobs", value, 1, MAX_JOBS, &options->jobs);
	case RUN_CHECK: options->check = true; break;
	case RUN_LINT_FAIL: options->lint_fail = true; break;
	case RUN_COUNT: options->check = options->count = true; break;
	case RUN_STEPS: return option_integer("--steps", value, 1, INT64_MAX, &options->steps);
	case RUN_LOG: return option_level("--log", value, &options->level);
	case RUN_LOG_AT: options->log_at = value; break;
	case RUN_POINTS: options->points = value; break;
	case RUN_FORCE: options->force = true; break;
	case RUN_APPEND: options->append = true; break;
	case RUN_NO_RECORD: options->no_record = true; break;
	case RUN_JSON: options->json = true; break;
	case 'o': options->trace = value; break;
	}
	return STATUS_OK;
}

static bool on_both(const struct run_options *options)
{
	return strcmp(options->device, "both") == 0;
}

static bool is_recorded(const struct run_options *options)
{
	return options->trace != NULL || on_both(options) || options->orders > 0;
}

static enum status check_graph(const struct run_options *options)
{
	const struct path *path = options->path;

	if (path == NULL)
		return STATUS_OK;
	if (options->graph_given && options->graph == GRAPH_NONE && path->graph != GRAPH_NONE)
		return fail(STATUS_USAGE, "--graph none contradicts --path %s", path->name);
	return path_check_graph(path, options->graph);
}

static enum status check_orders(const struct run_options *options)
{
	if (options->orders == 0)
		return STATUS_OK;
	if (options->seed_given)
		return fail(STATUS_USAGE, "--all-orders contradicts --seed");
	if (strcmp(options->device, "sim") != 0)
		return fail(STATUS_USAGE, "--all-orders contradicts --device %s: a GPU picks its "
			    "own order", options->device);
	if (options->log_at != NULL)
		return fail(STATUS_USAGE, "--all-orders contradicts --log-at: it replays the "
			    "whole run");
	return STATUS_OK;
}

enum status run_options_check(const struct run_options *options)
{
	struct log_at windows;

	TRY(check_graph(options));
	TRY(check_orders(options));
	if (options->no_record && is_recorded(options))
		return fail(STATUS_USAGE, "--no-record contradicts %s", options->trace ? "-o"
			    : options->orders ? "--all-orders, which replays a recorded run"
			    : "--device both, which compares recorded runs");
	if ((options->force || options->append) && options->trace == NULL)
		return fail(STATUS_USAGE, "--%s needs -o", options->force ? "force" : "append");
	if (options->force && options->append)
		return fail(STATUS_USAGE, "--force replaces a trace, --append adds to one");
	if (options->log_given && !is_recorded(options))
		return fail(STATUS_USAGE, "--log, --log-at and --points record: they need -o");
	if (options->points != NULL && options->level < LEVEL_POINTS)
		return fail(STATUS_USAGE, "--points needs --log points");
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
			.poison = is_recorded(run->options),
			.check = run->options->check, .count = run->options->count,
			.steps = (uint64_t)run->options->steps,
		};

		run->names[i] = run->count == 2 ? both[i] : run->options->device;
		TRY(device_open(run->names[i], &options, &run->devices[i]));
	}
	return STATUS_OK;
}

static enum status open_store(struct run *run)
{
	const struct store_options options = {
		.force = run->options->force, .append = run->options->append,
	};

	return is_recorded(run->options) ? store_create(run->options->trace, &options, &run->store)
					 : STATUS_OK;
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
	status = error_first(status, &error, store_close(run.store));
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

enum status run_print_json(const json_t *object)
{
	if (json_dumpf(object, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0
	    || putchar('\n') == EOF)
		return command_stdout_failed();
	return STATUS_OK;
}
