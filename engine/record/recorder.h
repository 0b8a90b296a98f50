/* recorder.h - a device that wraps another and turns every operation into a trace event.
 *
 * recorder_open() returns a struct device that behaves like the one inside it: same results, same
 * errors, same bits. Every operation becomes a row of the trace; the level (traces/row.h) decides
 * what else a row has. Rows are in the order of calls. On a device that calls an observer (the
 * simulator), the results of a launch are read right after it runs, for any order of streams; on
 * others, launches become synchronous. In both cases an error belongs to the launch that caused it.
 * A step ends when all work of the device has ended. What a launch wrote comes from the kernel
 * table; no kernel is handled by name.
 *
 * Recorded:
 *   every level  what attention is computed with, operations in order, bytes that come from the
 *                host (and what a host_softmax made of them), rows of K and V when they are written
 *                to a cache or copied out of it, and digests: of the bytes that a launch wrote (one
 *                row per buffer, over the written ranges in ascending order; offset and bytes are
 *                those of their hull), and after a step of every buffer written since its last such
 *                digest;
 *   partials     plus bytes of downloads and of the output of chunk and reduce kernels, chunk
 *                partials, reduction steps;
 *   points       plus named points: launches run the probed build of their kernel;
 *   access       plus the loads and stores of the blocks in log_at, and the lines that their
 *                threads reach. Only a simulated device that checks can record them; any other
 *                records points.
 *
 * Graphs: each node has a row when it is captured or added. Each launch that a launch of the graph
 * makes has a row like any other launch. Before a node that overwrites the output of a kernel of
 * the graph, the recorder adds a copy of its own, which is marked in its row. Each probed node has
 * its own point buffers. Output bits do not change. Asynchronous uploads read a copy of the bytes
 * made at the call. Captured uploads read the caller's memory; their bytes are recorded at each
 * launch of the graph and must not change until it has run. Asynchronous downloads have no bytes in
 * the trace. A step that ends during a capture has no digests.
 *
 * Not recorded: operations rejected before they reached the device (STATUS_USAGE), probe buffers,
 * the recorder's own reads. A launch of a graph within the capture of another one gives USAGE.
 */
#ifndef RECORDER_H
#define RECORDER_H

#include "engine/device.h"
#include "traces/level.h"

struct row_model;
struct row_token;
struct store;

struct recorder_options {
	struct store *store;            /* the caller's: must outlive the recorder, stays open */
	enum log_level level;
	const char *command, *path;     /* for v_run; path may be NULL */
	const char *options_json;       /* the command's options; NULL: "{}" */
	uint64_t seed;                  /* the inner device's */
	/* Points to keep, "score,softmax"; NULL: all. */
	const char *points;
	/* Windows to record, NULL: everything. A comma-separated list of steps ("s0..s63,s883"), of
	 * launches ("L0..L9") or of blocks of launches ("L4.b0..L4.b7"), both ends included,
	 * ascending, not mixed. Numbers are those of
	 * the whole run, here and in the trace: an address means the same with and without windows.
	 * Operations are numbered as stored, without gaps. Outside the windows only allocations,
	 * stream and event objects, graphs with their nodes, and tokens are stored. A window that
	 * opens after a gap begins with OP_RESTORE rows of the bytes that changed in the gap, so
	 * that it can be replayed. Operations between two steps or launches belong to the one
	 * before; a launch of a graph is recorded completely or not at all. */
	const char *log_at;
	/* For a replay, which repeats exactly the operations in the windows of the recorded run:
	 * these windows, for v_run. log_at is then NULL. */
	const char *recorded_at;
};

/* Begins a run. Takes ownership of `inner`, and closes it if opening fails. Open a GPU with
 * device_options.poison set, so that memory that was never written has the same bits as on the
 * simulator. USAGE for a malformed log_at or points, else the store's errors. */
enum status recorder_open(struct device *inner, const struct recorder_options *,
			  struct device **out);

int64_t recorder_run(struct device *);          /* number of the run in the store */
enum status recorder_model(struct device *, const struct row_model *);
enum status recorder_token(struct device *, const struct row_token *);

/* --- for a replay --- */

/* Uploads that are recorded as OP_RESTORE, for an OP_RESTORE of the replayed trace. */
enum status recorder_restore(struct device *, struct buffer *, uint64_t offset, const void *source,
			     size_t bytes);
enum status recorder_restore_pointers(struct device *, struct buffer *, uint64_t offset,
				      const struct pointer_entry *, size_t count);
/* Sets the number of the next launch to that in the replayed run. DAMAGED if this number was
 * already passed. */
enum status recorder_next_launch(struct device *, int64_t number);

/* Ends the run with the status `ended`, commits, and closes the recorder and its inner device. A
 * run that ended with a device error has a complete trace too. Returns the store's errors only. */
enum status recorder_finish(struct device *, enum status ended);

#endif
