/* recorder.h - a device that wraps another and turns every operation into a trace event.
 *
 * recorder_open() gives a struct device that behaves as the one inside it: same results, same
 * errors, same bits. Every operation becomes a row of the trace; what each row holds beyond that is
 * decided by the level (traces/row.h). Rows are in the order of calls. On a device that tells
 * when work runs (the simulator), what a launch wrote is read right then, whatever the order of
 * streams; on any other, launches become synchronous. Either way an error belongs to the launch
 * that caused it. A step ends when the whole device has ended its work. The recorder knows no
 * kernel by name: what a launch wrote comes from the kernel table.
 *
 * Recorded:
 *   every level  operations in order, bytes that come from the host, rows of K and V as they enter
 *                a cache, digests of what a launch wrote (one row per buffer: over the written
 *                ranges in ascending order, offset and bytes being those of their hull) and, after
 *                a step, of every buffer that was written since its last such digest;
 *   partials     plus bytes of downloads and of what a chunk or reduce kernel wrote, chunk
 *                partials, reduction steps;
 *   points       plus named points: launches run the probed build of their kernel.
 *
 * Graphs: a row for each node, when it is captured or added, and for each launch that a launch of
 * the graph makes, with all that launches of their own have. Before a node that overwrites what a
 * kernel of the graph wrote, the recorder adds a copy of its own, whose row says so; each probed
 * node has a place of its own for points. Output bits stay what they were. Uploads left to a stream
 * are done from a copy of the bytes made at the call; captured ones read the caller's memory, and
 * their bytes are recorded at each launch of the graph, which must find them unchanged until it has
 * run. Downloads left to a stream have no bytes in the trace. A step that ends during a capture has
 * no digests.
 *
 * Not recorded: operations refused before they reached the device (STATUS_USAGE), probe buffers,
 * the recorder's own reads. USAGE: a launch of a graph within the capture of another one.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "engine/device.h"
#include "traces/level.h"

struct row_model;
struct row_token;
struct store;

struct recorder_options {
	struct store *store;            /* the caller's: outlives the recorder, stays open */
	enum log_level level;
	const char *command, *path;     /* for v_run; path may be NULL */
	const char *options_json;       /* what the command was asked to do; NULL: "{}" */
	uint64_t seed;                  /* the inner device's */
	/* Points to keep, "score,softmax"; NULL: all. */
	const char *points;
	/* Windows to record, NULL: everything. A comma list of steps ("s0..s63,s883") or of
	 * launches ("L0..L9"), both ends included, ascending, not mixed. Numbers are those of the
	 * whole run, here and in the trace: an address means the same with and without windows.
	 * Operations are numbered as stored, without gaps. Outside the windows only allocations,
	 * stream and event objects, graphs with their nodes, and tokens are stored; a window that
	 * opens after a gap begins with OP_RESTORE rows of what changed meanwhile, so that it can
	 * be replayed. What comes between two steps or launches goes with the one before; a launch
	 * of a graph is recorded whole or not at all. */
	const char *log_at;
	/* For a replay, which does just what the windows of the recorded run held: these, for
	 * v_run. log_at is NULL then. */
	const char *recorded_at;
};

/* Begins a run. `inner` belongs to the recorder from here on, also when opening fails: then it is
 * closed. Open a GPU with device_options.poison set, so that memory that was never written has the
 * bits it has on the simulator. USAGE for a malformed log_at or points, else the store's errors. */
enum status recorder_open(struct device *inner, const struct recorder_options *,
			  struct device **out);

int64_t recorder_run(struct device *);          /* number of the run in the store */
enum status recorder_model(struct device *, const struct row_model *);
enum status recorder_token(struct device *, const struct row_token *);

/* --- for a replay --- */

/* Uploads that are recorded as OP_RESTORE: what one of another trace held. */
enum status recorder_restore(struct device *, struct buffer *, uint64_t offset, const void *source,
			     size_t bytes);
enum status recorder_restore_pointers(struct device *, struct buffer *, uint64_t offset,
				      const struct pointer_entry *, size_t count);
/* The launch that comes next has this number in the run that is replayed. DAMAGED when it has gone
 * by. */
enum status recorder_next_launch(struct device *, int64_t number);

/* Ends the run as `ended` says (a device error is a way to end: the trace stays whole), commits,
 * and closes recorder and inner device. Returns the store's errors only. */
enum status recorder_finish(struct device *, enum status ended);

#endif
