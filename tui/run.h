/* run.h - runs a command's work on one device or two, recorded or not.
 *
 * Handles the options of devices and traces, opens devices, attaches recorders, runs, finishes the
 * trace and compares the runs of --device both. The command supplies the work as a function, or
 * does it between two calls. Used by decode, attend, launch and run.
 */
#ifndef RUN_H
#define RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/attention/path.h"
#include "engine/device.h"
#include "traces/level.h"
#include "tui/options.h"

#define MAX_RUN_DEVICES 16

struct run_options {
	const struct path *path;        /* NULL: none, and no options of paths */
	const char *device;             /* "sim", "cuda", "both" */
	enum graph_mode graph;
	bool graph_given;
	int chunk, warps;
	int rung;                       /* of the ladder; LADDER_BEST */
	bool rung_given;
	float softcap;                  /* 0: none */
	bool softcap_given;
	int window, sinks;              /* window 0: all keys are visible */
	const char *attention;          /* one of these that was given; NULL: none */
	int devices;                    /* --devices: of the simulator, for a program */
	uint64_t seed;
	bool seed_given;
	int64_t orders;                 /* --all-orders: seeds 1 to this one too; 0: none */
	int jobs;
	enum log_level level;
	const char *log_at, *points;    /* of the recorder; NULL: everything */
	const char *trace;              /* -o, NULL: none */
	/* For a command that has called last_run_begin() itself: where the run is kept if there is
	 * no trace. NULL: run_on_devices() calls it. */
	const char *last;
	bool check, lint_fail;          /* --check, --lint-fail */
	int check_orders;               /* --check-orders; -1: the default */
	bool count;                     /* --count, which sets check too */
	int64_t steps;                  /* --steps; 0: no budget */
	const char *profile;            /* --profile; NULL: the default */
	bool quiet;                     /* findings are not printed, only put into the report */
	bool program;                   /* a whole program, which need not free its memory */
	bool force, append, no_record, json;
	bool log_given;                 /* an option that makes sense only when recording */
};

struct run_options run_options_default(void);
/* Takes an option of running or recording; any other is ignored. */
void run_option_take(struct run_options *, const struct option_value *);
/* How many further seeds the checker runs a launch under; --all-orders runs all of it again. */
int run_options_check_orders(const struct run_options *);
bool run_options_both(const struct run_options *);      /* --device both */
/* Whether the run cannot do without a trace. */
bool run_options_recorded(const struct run_options *);
/* Whether the run is kept as the last run: there is neither -o nor --no-record. */
bool run_options_keep(const struct run_options *);
/* What devices are opened with; ordinal 0. */
struct device_options run_device_options(const struct run_options *);
/* After the last option: those that contradict each other. */
enum status run_options_check(struct run_options *);

/* Sets the options of a path in a shape; its kv_dtype and lse are the command's. */
void run_options_shape(const struct run_options *, struct attention_shape *);
/* Adds those that have no default to a request as the trace stores it. */
void run_options_describe(const struct run_options *, json_t *request);

/* One device that the command's work runs on. */
struct run_target {
	struct device *device;          /* a recorder when `recorded` */
	const char *name;               /* "sim" or "cuda" */
	bool recorded;
	bool first;                     /* of the requested devices */
};
typedef enum status run_fn(const struct run_target *, void *context);

/* Opens every requested device, then runs fn on one after the other, each as a separate run of the
 * trace if there is one. `asked`, an object, describes the request in the trace; the options here
 * that can change a result are added to it, but not the trace's path or the number of threads. Two
 * runs are compared, with the counts on stderr. Without a trace they become the last run.
 * `report`, an object, gets "devices" and, for two, "compared". DIFFERS if the runs differ, else
 * the first error of devices, trace or fn. */
enum status run_on_devices(const struct run_options *, const char *command, json_t *asked,
			   run_fn *fn, void *context, json_t *report);

/* The same for work that may end the process by exit(): what comes before it and after it, on one
 * device. Nothing is open after a failure. `options`, `command` and `report` must stay valid until
 * run_end(). */
struct run_session;
enum status run_begin(const struct run_options *, const char *command, json_t *asked,
		      json_t *report, struct run_session **out);
/* The devices, by ordinal; there is one unless options.devices says more. */
struct device *const *run_devices(const struct run_session *, int *count);
/* Puts the findings so far into the report, and nothing into the trace: for a process that dies. */
void run_note_findings(struct run_session *);
/* `status`: how the work ended. Returns what run_on_devices() would. */
enum status run_end(struct run_session *, enum status);

/* Whether there are results to show after run_on_devices() returned this status: OK, two devices
 * differ, or the checker has findings that did not end the run. */
bool run_has_results(enum status);

/* Whether the work itself failed: a launch faulted, or time, memory or steps ran out. */
bool run_has_failed(enum status);
/* Adds "error" to what --json prints: the current error, its status, and CUDA's code or null. */
void run_put_error(json_t *report, enum status);

/* Prints the object and a newline to stdout. IO if that fails. */
enum status run_print_json(const json_t *);
/* With --json, after an error: adds and prints it if the work failed. Returns the same status, or
 * IO if that fails. */
enum status run_print_failure(const struct run_options *, json_t *report, enum status);

#endif
