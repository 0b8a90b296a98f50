/* recorder_graph.c - saves the bytes that nodes of graphs overwrite; operations on whole graphs.
 *
 * The kernels of a graph share buffers, so that after a launch of the graph only the output of the
 * last of them is left. Right before a node that may overwrite the output of a kernel of the same
 * graph, a copy of the recorder's own saves it; the copy is marked in the trace. After the launch,
 * everything can be read as it was after each node. Nothing is saved between unordered nodes, which
 * race anyway. recorder_capture.c, which uses this file, creates nodes; recorder_run.c launches
 * graphs.
 */
#include "engine/record/recorder_graph.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/recording.h"
#include "engine/record/shadow.h"

/* --- nodes --- */

static bool cannot_read(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	(void)context;
	(void)param;
	(void)offset;
	(void)bytes;
	(void)out;
	return false;
}

void node_recording(struct recorder *r, const struct node *node, struct recording *rec)
{
	recording_begin(rec, r, &node->ticket.launch, node);
	rec->call.read = cannot_read;
}

typedef void extent_fn(void *context, const struct node *, struct buffer *, uint64_t begin,
		       uint64_t end);

/* Calls extent() for the bytes that the node may write. Leaves out rows of a cache, which depend on
 * device memory: a graph does not write the same row twice. */
static void node_extents(struct recorder *r, const struct node *node, extent_fn *extent,
			 void *context)
{
	struct recording rec;

	if (node->work != OP_LAUNCH) {
		if (node->work != OP_DOWNLOAD_ASYNC && node->buffer)
			extent(context, node, node->buffer, node->offset,
			       node->offset + node->bytes);
		return;
	}
	node_recording(r, node, &rec);
	recording_find_written(&rec);
	for (int i = 0; i < rec.written_count; i++) {
		const struct ranges *ranges = &rec.written[i].ranges;

		if (ranges->count)
			extent(context, node, rec.written[i].shadow->buffer,
			       ranges->items[0].begin, ranges->items[ranges->count - 1].end);
	}
	recording_end(&rec);
}

static void add_fresh(void *context, const struct node *node, struct buffer *buffer,
		      uint64_t begin, uint64_t end)
{
	struct graph_shadow *g = context;

	g->fresh = xreallocarray(g->fresh, (size_t)g->fresh_count + 1, sizeof *g->fresh);
	g->fresh[g->fresh_count++] = (struct fresh){ node->number, buffer, begin, end };
}

void node_keep(struct recorder *r, struct node *node)
{
	struct graph_shadow *g = node->graph;

	g->nodes = xreallocarray(g->nodes, (size_t)g->count + 1, sizeof *g->nodes);
	g->nodes[g->count++] = node;
	if (node->work == OP_LAUNCH)
		node_extents(r, node, add_fresh, g);
}

/* --- saving --- */

struct saving {
	struct recorder *recorder;
	struct stream *stream;          /* the one in capture */
	bool by_hand;
	int *copies, copy_count;        /* the device's numbers of their nodes */
	enum status status;
};

/* Whether `earlier` always runs before the node. */
static bool is_before(const struct node *node, int earlier)
{
	const struct graph_shadow *g = node->graph;
	bool *before = xcalloc((size_t)g->count + 1, sizeof *before), found;

	for (int i = 0; i < node->after_count; i++)
		before[node->after[i]] = true;
	for (int n = g->count - 1; n > earlier; n--)
		for (int i = 0; before[n] && i < g->nodes[n]->after_count; i++)
			before[g->nodes[n]->after[i]] = true;
	found = before[earlier];
	free(before);
	return found;
}

static enum status note_copy(struct recorder *r, const struct node *node, struct stream *stream,
			     const struct fresh *f, bool by_hand, enum status done)
{
	const struct row_node event = {
		.graph = node->graph->number, .node = node->number, .work = OP_COPY, .own = true,
		.after = by_hand ? &f->node : NULL, .after_count = by_hand, .launch = -1,
	};

	return recorder_add(r, OP(OP_GRAPH_NODE, .stream = numbers_find(&r->streams, stream),
				  .buffer = shadow_id(r, f->buffer), .offset = f->begin,
				  .bytes = f->end - f->begin, .node = &event), done);
}

static enum status copy_fresh(struct saving *s, const struct node *node, const struct fresh *f)
{
	struct recorder *r = s->recorder;
	struct graph_shadow *g = node->graph;
	struct saved saved = {
		.position = node->number, .buffer = f->buffer, .offset = f->begin,
		.bytes = f->end - f->begin,
	};
	const struct buffer_spec spec = {
		.name = "saved", .dtype = DTYPE_U8, .rank = 1, .shape = { (int64_t)saved.bytes },
	};
	enum status status;
	int copy;

	TRY(recorder_own_begin(r));
	status = device_alloc(r->device.inner, &spec, &saved.copy);
	recorder_own_end(r);
	TRY(status);
	g->saved = xreallocarray(g->saved, (size_t)g->saved_count + 1, sizeof *g->saved);
	g->saved[g->saved_count++] = saved;
	if (!s->by_hand) {
		status = device_copy(r->device.inner, s->stream, saved.copy, 0, f->buffer,
				     f->begin, saved.bytes);
		return note_copy(r, node, s->stream, f, false, status);
	}
	status = device_graph_add_copy(r->device.inner, g->graph, saved.copy, 0, f->buffer,
				       f->begin, saved.bytes, &g->nodes[f->node]->device_node, 1,
				       &copy);
	TRY(note_copy(r, node, NULL, f, true, status));
	s->copies = xreallocarray(s->copies, (size_t)s->copy_count + 1, sizeof *s->copies);
	s->copies[s->copy_count++] = copy;
	return STATUS_OK;
}

static void save_overwritten(void *context, const struct node *node, struct buffer *buffer,
			     uint64_t begin, uint64_t end)
{
	struct saving *s = context;
	struct graph_shadow *g = node->graph;
	int kept = 0;

	for (int i = 0; i < g->fresh_count; i++) {
		struct fresh f = g->fresh[i];
		bool overwritten = f.buffer == buffer && f.begin < end && begin < f.end
				   && s->status == STATUS_OK
				   && (!s->by_hand || is_before(node, f.node));

		if (overwritten)
			s->status = copy_fresh(s, node, &f);
		else
			g->fresh[kept++] = f;
	}
	g->fresh_count = kept;
}

enum status graph_save(struct recorder *r, struct node *node, struct stream *stream, bool by_hand,
		       int **copies, int *copy_count)
{
	struct saving saving = { .recorder = r, .stream = stream, .by_hand = by_hand };

	node_extents(r, node, save_overwritten, &saving);
	*copies = saving.copies;
	*copy_count = saving.copy_count;
	return saving.status;
}

/* --- operations on whole graphs --- */

enum status recorder_graph_instantiate(struct device *device, struct graph *graph,
				       struct graph_exec **out)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *g = graph_shadow_find(r, graph);
	struct row_node node = { .graph = g ? g->number : 0, .node = -1, .launch = -1 };
	enum status done = device_graph_instantiate(device->inner, graph, out);

	if (done == STATUS_OK) {
		r->execs = xreallocarray(r->execs, (size_t)r->exec_count + 1, sizeof *r->execs);
		r->execs[r->exec_count++] = (struct exec_shadow){ *out, g, g->count };
		g->references++;
	}
	return recorder_add(r, OP_ON(OP_GRAPH_INSTANTIATE, done == STATUS_OK ? r->exec_count : -1,
				     .node = &node), done);
}

enum status recorder_graph_destroy(struct device *device, struct graph *graph)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *g = graph_shadow_find(r, graph);
	int number = g ? g->number : -1;
	enum status done = device_graph_destroy(device->inner, graph);

	if (done == STATUS_OK && g) {
		g->graph = NULL;
		graph_shadow_drop(r, g);
	}
	return recorder_add(r, OP_ON(OP_GRAPH_DESTROY, number), done);
}

enum status recorder_graph_exec_destroy(struct device *device, struct graph_exec *exec)
{
	struct recorder *r = recorder_of(device);
	int number = r->exec_count;
	enum status done;

	while (number > 0 && r->execs[number - 1].exec != exec)
		number--;
	done = device_graph_exec_destroy(device->inner, exec);
	if (done == STATUS_OK && number > 0) {
		r->execs[number - 1].exec = NULL;
		graph_shadow_drop(r, r->execs[number - 1].graph);
	}
	return recorder_add(r, OP_ON(OP_GRAPH_EXEC_DESTROY, number > 0 ? number : -1), done);
}
