/* run.h - running something on one device or on two, recorded or not: what decode and attend share.
 *
 * Options of devices and traces, and the frame around the work: open devices, attach recorders,
 * run, end the trace, compare the runs of --device both. What is run is the command's own.
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

struct run_options {
	const struct path *path;        /* NULL: none, and no options of paths */
	const char *device;             /* "sim", "cuda", "both" */
	enum graph_mode graph;
	bool graph_given;
	int chunk, warps;
	uint64_t seed;
	bool seed_given;
	int64_t orders;                 /* --all-orders: seeds 1 to this one too; 0: none */
	int jobs;
	enum log_level level;
	const char *log_at, *points;    /* of the recorder; NULL: everything */
	const char *trace;              /* -o, NULL: none */
	bool check, lint_fail;          /* --check, --lint-fail */
	bool count;                     /* --count, which sets check too */
	int64_t steps;                  /* --steps; 0: no budget */
	bool force, append, no_record, json;
	bool log_given;                 /* an option that makes sense only when recording */
};

struct run_options run_options_default(void);
/* Takes an option of running or recording; any other is ignored. */
void run_option_take(struct run_options *, const struct option_value *);
/* After the last option: those that contradict each other. */
enum status run_options_check(const struct run_options *);

/* One device that the command's work runs on. */
struct run_target {
	struct device *device;          /* a recorder when `recorded` */
	const char *name;               /* "sim" or "cuda" */
	bool recorded;
	bool first;                     /* of the devices asked for */
};
typedef enum status run_fn(const struct run_target *, void *context);

/* Opens every device asked for, then runs fn on one after the other, in a run of its own of the
 * trace when there is one. `asked` is what the trace says the command was asked to do (besides the
 * options here); where the trace lies and how many threads worked is left out, as both change no
 * result. Comparing two runs prints the counts to stderr. `report`, an object, gets "devices" and,
 * for two, "compared". DIFFERS when the runs do, else the first error of devices, trace or fn. */
enum status run_on_devices(const struct run_options *, const char *command, json_t *asked,
			   run_fn *fn, void *context, json_t *report);

/* Whether what run_on_devices() returned leaves results to show: all is well, or two devices
 * differ, or the checker found what did not end the run. */
bool run_has_results(enum status);

/* Prints the object and a newline to stdout. IO when that fails. */
enum status run_print_json(const json_t *);

#endif
