/* run.h - runs a command's work on one device or two, recorded or not.
 *
 * Handles the options of devices and traces, opens devices, attaches recorders, runs, finishes the
 * trace and compares the runs of --device both. The command supplies the work as a function. Used
 * by decode, attend and launch.
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

/* Their entries in a getopt_long() table, and their letters. */
enum run_option_id {
	RUN_PATH = 1000, RUN_DEVICE, RUN_GRAPH, RUN_CHUNK, RUN_WARPS, RUN_SEED, RUN_JOBS, RUN_CHECK,
	RUN_LINT_FAIL, RUN_COUNT, RUN_STEPS, RUN_ALL_ORDERS,
	RUN_LOG, RUN_LOG_AT, RUN_POINTS, RUN_FORCE, RUN_APPEND, RUN_NO_RECORD, RUN_JSON
};
#define RUN_LETTERS "o:"
#define RUN_LONG_OPTIONS \
	{ "path", required_argument, NULL, RUN_PATH }, \
	{ "device", required_argument, NULL, RUN_DEVICE }, \
	{ "graph", required_argument, NULL, RUN_GRAPH }, \
	{ "chunk", required_argument, NULL, RUN_CHUNK }, \
	{ "warps", required_argument, NULL, RUN_WARPS }, \
	{ "seed", required_argument, NULL, RUN_SEED }, \
	{ "all-orders", required_argument, NULL, RUN_ALL_ORDERS }, \
	{ "jobs", required_argument, NULL, RUN_JOBS }, \
	{ "check", no_argument, NULL, RUN_CHECK }, \
	{ "lint-fail", no_argument, NULL, RUN_LINT_FAIL }, \
	{ "count", no_argument, NULL, RUN_COUNT }, \
	{ "steps", required_argument, NULL, RUN_STEPS }, \
	{ "log", required_argument, NULL, RUN_LOG }, \
	{ "log-at", required_argument, NULL, RUN_LOG_AT }, \
	{ "points", required_argument, NULL, RUN_POINTS }, \
	{ "force", no_argument, NULL, RUN_FORCE }, \
	{ "append", no_argument, NULL, RUN_APPEND }, \
	{ "no-record", no_argument, NULL, RUN_NO_RECORD }, \
	{ "json", no_argument, NULL, RUN_JSON }
/* Their part of a command's help. */
#define RUN_HELP_COUNT \
	"  --count            count bytes, sectors, bank conflicts, barriers and lines of every\n" \
	"                     launch, for -o or --json; implies --check\n" \
	"  --steps N          a launch on the simulator ends after N basic blocks: exit 5\n"
#define RUN_HELP \
	"  --path P           flash-decoding (default), prefill, cached, incremental,\n" \
	"                     incremental-multiwarp, batched, auto, or flash-decoding-graph:\n" \
	"                     short for flash-decoding --graph capture\n" \
	"  --device D         sim (default), cuda, or both: run on both and compare\n" \
	"  --graph MODE       launch each layer's step from a CUDA graph: capture, or manual, a\n" \
	"                     graph built by hand; none (default). For flash-decoding,\n" \
	"                     incremental, incremental-multiwarp and batched\n" \
	"  --chunk C          keys per chunk (128); 0: auto goes without flash decoding\n" \
	"  --warps N          warps per chunk of flash decoding, 1 or 2 (1)\n" \
	"  --seed N           order of lanes, warps and blocks on the simulator (0: in order)\n" \
	"  --all-orders K     again under seeds 1 to K: exit 1 when a bit changes, with the finding\n" \
	"                     that explains it\n" \
	"  --jobs N           threads of the simulator (1)\n" \
	"  --check            check accesses and barriers on the simulator; a finding: exit 4\n" \
	"  --lint-fail        exit 4 for a lint too\n" \
	RUN_HELP_COUNT \
	"  -o T.twin          record a trace; an existing file is refused without\n" \
	"  --force            replace it\n" \
	"  --append           add a run to it\n" \
	"  --log LEVEL        launch (default), partials or points; access is not built yet\n" \
	"  --log-at WINDOWS   record only these steps (s0..s9,s20) or launches (L0..L9)\n" \
	"  --points LIST      record only these named points: score,softmax,reduce\n" \
	"  --no-record        refuse to record\n" \
	"  --json             one JSON object on stdout\n"

struct run_options run_options_default(void);
/* Takes option c; USAGE for a bad value, or for one that is not built yet. */
enum status run_option_take(struct run_options *, int c, const char *value);
/* After the last option: those that contradict each other. */
enum status run_options_check(const struct run_options *);

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
 * runs are compared, with the counts on stderr. `report`, an object, gets "devices" and, for two,
 * "compared". DIFFERS if the runs differ, else the first error of devices, trace or fn. */
enum status run_on_devices(const struct run_options *, const char *command, json_t *asked,
			   run_fn *fn, void *context, json_t *report);

/* Whether there are results to show after run_on_devices() returned this status: OK, two devices
 * differ, or the checker has findings that did not end the run. */
bool run_has_results(enum status);

/* Prints the object and a newline to stdout. IO if that fails. */
enum status run_print_json(const json_t *);

#endif
