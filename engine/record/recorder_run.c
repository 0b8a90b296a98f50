/* recorder_run.c - records launches of graphs: rows and results of the launches that a graph makes.
 *
 * The rows are stored at the call, in the order of the nodes. On a device that calls an observer,
 * the results of a node are read right after it has run. On any other, they are read after the
 * graph has ended, from saved copies or from the buffers themselves. The bytes that uploads of the
 * graph are about to read are recorded first. Used by recorder_launch.c and the table of
 * operations.
 */
#include "engine/record/recorder_run.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/probe.h"
#include "engine/record/recorder_accesses.h"
#include "engine/record/recorder_capture.h"
#include "engine/record/recorder_describe.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_results.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_step.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"
#include "traces/store/store.h"

static bool makes_launch(const struct graph_run *run, int node)
{
	return run->graph->nodes[node]->work == OP_LAUNCH;
}

static struct graph_run *run_new(struct recorder *r, const struct exec_shadow *exec)
{
	struct graph_run *run = xcalloc(1, sizeof *run), **link = &exec->graph->runs;

	run->graph = exec->graph;
	run->node_count = exec->node_count;
	run->ran = xcalloc((size_t)run->node_count + 1, sizeof *run->ran);
	run->stored = r->storing;
	/* The row of the graph's launch comes first. */
	run->op = r->last_op + 2;
	run->number = r->launches;
	for (int i = 0; i < run->node_count; i++)
		run->left += makes_launch(run, i);
	while (*link)
		link = &(*link)->next;
	*link = run;
	return run;
}

static void run_end(struct graph_run *run)
{
	struct graph_run **link = &run->graph->runs;

	while (*link != run)
		link = &(*link)->next;
	*link = run->next;
	graph_run_free(run);
}

/* --- results --- */

/* The number of launches that the graph makes before the node's. */
static int64_t launches_before(const struct graph_run *run, int node)
{
	int64_t launches = 0;

	for (int i = 0; i < node; i++)
		launches += makes_launch(run, i);
	return launches;
}

/* Call it right after the node has run, or after the whole graph. */
static enum status collect_node(struct recorder *r, const struct graph_run *run,
				const struct node *node)
{
	int64_t launch = launches_before(run, node->number);
	struct launch made = node->ticket.launch;
	enum status status = STATUS_OK;
	struct recording rec;

	/* The stream that captured it may have been destroyed. */
	made.stream = NULL;
	recording_begin(&rec, r, &made, r->observed ? NULL : node);
	rec.op = run->op + launch;
	rec.number = run->number + launch;
	recording_find_written(&rec);
	if (run->stored)
		status = recorder_results(&rec, node->probe);
	if (status == STATUS_OK && node->probe)
		status = probe_clear(node->probe);
	recording_mark_written(&rec);
	recording_end(&rec);
	return status;
}

static enum status collect(struct recorder *r, const struct graph_run *run)
{
	run->graph->launched = run->node_count;
	for (int i = 0; i < run->node_count; i++)
		if (makes_launch(run, i))
			TRY(collect_node(r, run, run->graph->nodes[i]));
	return STATUS_OK;
}

/* Marks the bytes that copies, fills and uploads of the graph write. */
static void mark_moved(struct recorder *r, const struct graph_run *run)
{
	for (int i = 0; i < run->node_count; i++) {
		const struct node *node = run->graph->nodes[i];

		if (!makes_launch(run, i) && node->work != OP_DOWNLOAD_ASYNC && node->buffer)
			shadow_written(r, shadow_find(r, node->buffer), node->offset, node->bytes);
	}
}

/* --- called when the device runs nodes --- */

/* The launch of the graph to which this run of the node belongs. Launches of one graph run in
 * order. */
static struct graph_run *run_of(const struct node *node)
{
	struct graph_run *run = node->graph->runs;

	while (run && (node->number >= run->node_count || run->ran[node->number]))
		run = run->next;
	return run;
}

void recorder_node_begins(const struct node *node)
{
	struct recorder *r = node->ticket.recorder;
	const struct graph_run *run = run_of(node);

	if (run && run->stored)
		recorder_keep_error(r, recorder_accesses_watch(
			r, &node->ticket.launch, run->number + launches_before(run, node->number)));
	if (node->probe)
		recorder_keep_error(r, probe_point_here(node->probe));
}

static enum status node_failed(struct recorder *r, const struct graph_run *run, int node)
{
	int code = error_code();

	if (!run->stored || !run->noted)
		return STATUS_OK;
	return store_op_failed(r->store, r->run, run->op + launches_before(run, node),
			       code ? code : 999);
}

void recorder_node_ended(const struct node *node, enum status done)
{
	struct recorder *r = node->ticket.recorder;
	struct graph_run *run = run_of(node);

	if (!run)
		return;
	r->unlisted = r->unlisted || done != STATUS_OK || r->late != STATUS_OK;
	if (done != STATUS_OK) {
		recorder_keep_error(r, node_failed(r, run, node->number));
		return;
	}
	run->ran[node->number] = true;
	if (r->late == STATUS_OK)
		recorder_keep_error(r, collect_node(r, run, node));
	if (--run->left == 0 && !run->calling)
		run_end(run);
}

/* --- launching --- */

static enum status note_uploads(struct recorder *r, const struct exec_shadow *exec, int number,
				struct stream *stream)
{
	for (int i = 0; i < exec->node_count; i++) {
		const struct node *node = exec->graph->nodes[i];
		const struct row_node event = {
			.graph = exec->graph->number, .node = i, .launch = -1,
		};

		if (node->work == OP_UPLOAD_ASYNC && node->buffer)
			TRY(recorder_add(r, OP_ON(OP_GRAPH_UPLOAD, number,
						  .stream = numbers_find(&r->streams, stream),
						  .buffer = shadow_id(r, node->buffer),
						  .offset = node->offset, .bytes = node->bytes,
						  .data = node->source, .node = &event),
					 STATUS_OK));
	}
	return STATUS_OK;
}

static enum status note_run(struct recorder *r, struct graph_run *run, int exec,
			    struct stream *stream, enum status done)
{
	const struct row_node event = {
		.graph = run->graph->number, .node = -1,
		.launch = run->number,
	};
	struct row_op row = OP_ON(OP_GRAPH_LAUNCH, exec, .node = &event,
				    .stream = numbers_find(&r->streams, stream));
	int64_t graph_launch, op, launch = 0;

	TRY(recorder_note(r, &row, done, &graph_launch));
	for (int i = 0; i < run->node_count; i++) {
		struct row_op made = OP_ON(OP_LAUNCH, graph_launch, .stream = row.stream);

		if (makes_launch(run, i))
			TRY(recorder_note_launch(r, &run->graph->nodes[i]->ticket.launch,
						 run->number + launch++, &made, STATUS_OK, &op));
	}
	return STATUS_OK;
}

static enum status launch_run(struct recorder *r, struct graph_run *run, int number,
			      struct stream *stream)
{
	enum status done = device_graph_launch(r->device.inner, r->execs[number - 1].exec, stream);

	run->given = done == STATUS_OK;
	if (done == STATUS_OK && !r->observed)
		done = device_sync(r->device.inner, stream);
	if (run->stored) {
		done = note_run(r, run, number, stream, done);
		run->noted = true;
	}
	TRY(done);
	mark_moved(r, run);
	return r->observed ? STATUS_OK : collect(r, run);
}

static int find_exec(const struct recorder *r, const struct graph_exec *exec)
{
	int number = r->exec_count;

	while (number > 0 && r->execs[number - 1].exec != exec)
		number--;
	return number;
}

enum status recorder_graph_launch(struct device *device, struct graph_exec *exec,
				  struct stream *stream)
{
	struct recorder *r = recorder_of(device);
	int number = find_exec(r, exec), launches = 0;
	struct graph_run *run;
	enum status done;

	if (number == 0)
		return fail(STATUS_USAGE, "graph_launch: not an executable graph of this device");
	if (recorder_capture_of(r, stream))
		return fail(STATUS_USAGE, "graph_launch: a launch of a graph that becomes part of"
			    " another one cannot be recorded");
	for (int i = 0; i < r->execs[number - 1].node_count; i++)
		launches += r->execs[number - 1].graph->nodes[i]->work == OP_LAUNCH;
	TRY(recorder_window(r, 'L', r->launches, launches));
	if (r->storing)
		TRY(note_uploads(r, &r->execs[number - 1], number, stream));
	run = run_new(r, &r->execs[number - 1]);
	run->calling = true;
	done = launch_run(r, run, number, stream);
	run->calling = false;
	if (!run->given || !r->observed || run->left == 0)
		run_end(run);
	if (done == STATUS_OK)
		r->launches += launches;
	return done;
}
