/* run_options.c - the options of devices and recording, and which go together; see run.h. */
#include "tui/run.h"

#include <stdlib.h>
#include <math.h>
#include <string.h>

#include "engine/attention/path_ladder.h"
#include "engine/record/probe.h"
#include "traces/store/log_at.h"

#define DEFAULT_CHUNK 128
#define DEFAULT_CHECK_ORDERS 4

struct run_options run_options_default(void)
{
	return (struct run_options){
		.path = &path_flash_decoding,
		.device = "sim",
		.chunk = DEFAULT_CHUNK,
		.warps = 1,
		.rung = LADDER_BEST,
		.jobs = 1, .devices = 1,
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
	case OPTION_DEVICES: options->devices = (int)v->integer; break;
	case OPTION_GRAPH:
		options->graph = (enum graph_mode)v->choice;
		options->graph_given = true;
		break;
	case OPTION_CHUNK: options->chunk = (int)v->integer; break;
	case OPTION_RUNG:
		options->rung = strcmp(v->text, "best") == 0 ? LADDER_BEST : atoi(v->text);
		options->rung_given = true;
		break;
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
	case OPTION_SOFTCAP:
		options->softcap = (float)v->number;
		options->softcap_given = true;
		options->attention = "softcap";
		break;
	case OPTION_WINDOW:
		options->window = (int)v->integer;
		options->attention = "window";
		break;
	case OPTION_SINKS:
		options->sinks = (int)v->integer;
		options->attention = "sinks";
		break;
	case OPTION_PROFILE: options->profile = v->text; break;
	case OPTION_JSON:
	case OPTION_RUN_JSON: options->json = true; break;
	case OPTION_TRACE:
	case OPTION_REPLAY_TRACE: options->trace = v->text; break;
	case OPTION_FORCE: options->force = true; break;
	case OPTION_APPEND: options->append = true; break;
	case OPTION_LOG:
	case OPTION_REPLAY_LOG:
		options->level = (enum log_level)v->choice;
		options->check = options->check || options->level == LEVEL_ACCESS;
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

bool run_options_both(const struct run_options *options)
{
	return strcmp(options->device, "both") == 0;
}

bool run_options_keep(const struct run_options *options)
{
	return !options->trace && !options->no_record && options->devices == 1;
}

bool run_options_recorded(const struct run_options *options)
{
	return options->trace != NULL || run_options_both(options) || options->orders > 0;
}

struct device_options run_device_options(const struct run_options *options)
{
	return (struct device_options){
		.profile = options->profile, .seed = options->seed, .jobs = options->jobs,
		.poison = run_options_recorded(options) || run_options_keep(options),
		.check = options->check, .count = options->count,
		.check_orders = run_options_check_orders(options),
		.leaks_are_lints = options->program, .steps = (uint64_t)options->steps,
	};
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

/* The first rungs of the ladder are other paths. */
static enum status choose_rung(struct run_options *options)
{
	if (options->rung_given && options->path != &path_ladder)
		return fail(STATUS_USAGE, "--rung needs --path ladder");
	if (options->path == &path_ladder)
		options->path = ladder_path(options->rung);
	return STATUS_OK;
}

/* Whether they go together. */
static enum status check_attention(const struct run_options *options)
{
	if (options->attention && options->path != &path_ladder)
		return fail(STATUS_USAGE, "--%s needs --path ladder with rung 5 or more",
			    options->attention);
	if (options->softcap_given && !(options->softcap > 0.0f && isfinite(options->softcap)))
		return fail(STATUS_USAGE, "--softcap: expected a finite number above 0, got %g",
			    (double)options->softcap);
	if (options->sinks > 0 && options->window == 0)
		return fail(STATUS_USAGE, "--sinks %d needs --window: without one all keys are "
			    "visible", options->sinks);
	return STATUS_OK;
}

void run_options_shape(const struct run_options *options, struct attention_shape *s)
{
	s->chunk = options->chunk;
	s->warps = options->warps;
	s->rung = options->rung;
	s->graph = options->graph;
	s->softcap = options->softcap;
	s->window = options->window;
	s->sinks = options->sinks;
}

void run_options_describe(const struct run_options *options, json_t *request)
{
	if (options->softcap != 0.0f)
		json_object_set_new(request, "softcap", json_real((double)options->softcap));
	if (options->window == 0)
		return;
	json_object_set_new(request, "window", json_integer(options->window));
	json_object_set_new(request, "sinks", json_integer(options->sinks));
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

/* A trace, the checker and a GPU are those of one device. */
static enum status check_devices(const struct run_options *options)
{
	const char *other = strcmp(options->device, "sim") != 0 ? "--device"
		: options->trace ? "-o" : options->orders ? "--all-orders"
		: options->count ? "--count" : options->check ? "--check" : NULL;

	if (options->devices == 1 || !other)
		return STATUS_OK;
	return fail(STATUS_USAGE, "--devices %d cannot be used with %s%s", options->devices, other,
		    strcmp(other, "--device") == 0 ? " cuda or both" : "");
}

/* Of --log access: which blocks, and where. */
static enum status check_access(const struct run_options *options)
{
	struct log_at windows;
	bool blocks;

	TRY(log_at_parse(options->log_at, &windows));
	blocks = windows.blocks != NULL;
	log_at_free(&windows);
	if (options->level < LEVEL_ACCESS)
		return blocks ? fail(STATUS_USAGE, "--log-at %s: blocks need --log access",
				     options->log_at) : STATUS_OK;
	if (strcmp(options->device, "cuda") == 0)
		return fail(STATUS_USAGE, "--log access needs the simulator: --device sim or both");
	if (!blocks)
		return fail(STATUS_USAGE, "--log access needs --log-at with blocks, such as"
			    " L4.b0..L4.b7: it records every load and store%s%s",
			    options->log_at ? ", got " : "",
			    options->log_at ? options->log_at : "");
	return STATUS_OK;
}

enum status run_options_check(struct run_options *options)
{
	TRY(choose_rung(options));
	TRY(check_attention(options));
	TRY(check_graph(options));
	TRY(check_orders(options));
	TRY(check_devices(options));
	TRY(check_access(options));
	if (options->no_record && run_options_recorded(options))
		return fail(STATUS_USAGE, "--no-record cannot be used with %s",
			    options->trace ? "-o"
			    : options->orders ? "--all-orders, which replays a recorded run"
			    : "--device both, which compares recorded runs");
	if ((options->force || options->append) && !options->trace)
		return fail(STATUS_USAGE, "--%s needs -o", options->force ? "force" : "append");
	if (options->force && options->append)
		return fail(STATUS_USAGE, "--force and --append are mutually exclusive");
	if (options->log_given && !run_options_recorded(options))
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
	if (options->count && !run_options_recorded(options) && !options->json)
		return fail(STATUS_USAGE, "--count needs -o or --json, which show what it counts");
	return probe_check_filter(options->points);
}
