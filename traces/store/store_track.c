/* store_track.c - checks what each operation refers to, while a run is read back.
 *
 * An operation may refer only to buffers, streams and events that an earlier one made, to bytes
 * inside them, and to launches that some device could run; replay and diff rely on that. Numbers
 * are assigned in order without gaps, so that the file's size bounds every table. The columns of an
 * operation's own row are checked in store_read.c.
 */
#include "traces/store/store_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traces/row.h"

/* The limits of CUDA devices. */
#define MAX_GRID_X INT32_MAX
#define MAX_GRID_YZ 65535
#define MAX_BLOCK 1024

struct object {
	bool alive;
	uint64_t bytes;                 /* of a buffer; nodes of a graph */
	uint32_t graph;                 /* of an executable graph */
};

/* Objects of one kind, indexed by number - 1. */
struct objects {
	struct object *items;
	uint32_t count, capacity;
};

struct track {
	struct objects buffers, streams, events, graphs, execs;
	const struct row_op *op;      /* being checked */
	int64_t next;                   /* number of the operation that comes next */
	int64_t graph_launch;           /* the last one, and how many launches may follow it */
	uint64_t launches_left;
	char wrong[128];
};

struct track *track_new(void)
{
	return xcalloc(1, sizeof(struct track));
}

void track_free(struct track *t)
{
	if (!t)
		return;
	free(t->buffers.items);
	free(t->streams.items);
	free(t->events.items);
	free(t->graphs.items);
	free(t->execs.items);
	free(t);
}

__attribute__((format(printf, 2, 3)))
static bool wrong(struct track *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(t->wrong, sizeof t->wrong, format, args);
	va_end(args);
	return false;
}

static void add(struct objects *objects, uint64_t bytes)
{
	if (objects->count == objects->capacity) {
		objects->capacity = objects->capacity ? 2 * objects->capacity : 16;
		objects->items = xreallocarray(objects->items, objects->capacity,
					       sizeof *objects->items);
	}
	objects->items[objects->count++] = (struct object){ .alive = true, .bytes = bytes };
}

/* A failed operation may refer to a destroyed object: that may be why it failed. */
static bool find(struct track *t, const struct objects *objects, const char *what, int64_t number,
		 struct object **out)
{
	if (number < 1 || number > objects->count)
		return wrong(t, "%s %" PRId64 " does not exist, only %" PRIu32 " so far", what,
			     number, objects->count);
	*out = &objects->items[number - 1];
	if (!(*out)->alive && !t->op->code)
		return wrong(t, "%s %" PRId64 " no longer exists", what, number);
	return true;
}

/* Checks the number of a new object. */
static bool is_next(struct track *t, const struct objects *objects, const char *what,
		    int64_t number)
{
	if (number == (int64_t)objects->count + 1)
		return true;
	return wrong(t, "expected %s %" PRId64 ", got %" PRId64, what,
		     (int64_t)objects->count + 1, number);
}

/* --- buffers --- */

static bool check_alloc(struct track *t)
{
	const struct row_op *op = t->op;
	const struct row_buffer *alloc = op->alloc;
	uint64_t bytes = dtype_bytes(alloc->dtype);

	if (!is_next(t, &t->buffers, "buffer", alloc->id))
		return false;
	for (int i = 0; i < alloc->rank; i++)
		if (__builtin_mul_overflow(bytes, (uint64_t)alloc->shape[i], &bytes))
			return wrong(t, "the shape of %.40s is too large", alloc->name);
	if (alloc->bytes != bytes || op->bytes != bytes || op->buffer != alloc->id)
		return wrong(t, "buffer %" PRIu32 ": expected %" PRIu64 " bytes by its shape,"
			     " got %" PRIu64, alloc->id, bytes, op->bytes);
	add(&t->buffers, bytes);
	t->buffers.items[t->buffers.count - 1].alive = !op->code;
	return true;
}

static bool check_range(struct track *t, uint32_t id, uint64_t offset, uint64_t bytes)
{
	struct object *buffer = NULL;

	if (!find(t, &t->buffers, "buffer", id, &buffer))
		return false;
	if (t->op->code || (offset <= buffer->bytes && bytes <= buffer->bytes - offset))
		return true;
	return wrong(t, "%" PRIu64 " bytes at offset %" PRIu64 " of buffer %" PRIu32
		     ", which has %" PRIu64, bytes, offset, id, buffer->bytes);
}

/* A pointer may refer to a buffer that has been freed. */
static bool check_pointer(struct track *t, uint32_t id, uint64_t offset)
{
	if (id == 0)
		return true;
	if (id <= t->buffers.count && offset <= t->buffers.items[id - 1].bytes)
		return true;
	return wrong(t, "invalid pointer to offset %" PRIu64 " of buffer %" PRIu32, offset, id);
}

static bool check_pointers(struct track *t, const struct row_pointer *pointers, int count,
			   uint64_t bytes)
{
	for (int i = 0; i < count; i++) {
		if (bytes < sizeof(uint64_t) || pointers[i].at > bytes - sizeof(uint64_t))
			return wrong(t, "a pointer at offset %" PRIu64 " of %" PRIu64 " bytes",
				     pointers[i].at, bytes);
		if (!check_pointer(t, pointers[i].buffer, pointers[i].offset))
			return false;
	}
	return true;
}

static bool check_pointer_table(struct track *t)
{
	const struct row_op *op = t->op;

	if (!op->pointer_count && op->kind != OP_UPLOAD_POINTERS)
		return true;
	if (op->bytes != (uint64_t)op->pointer_count * sizeof(uint64_t))
		return wrong(t, "expected %" PRIu64 " bytes for %d pointers, got %" PRIu64,
			     (uint64_t)op->pointer_count * sizeof(uint64_t), op->pointer_count,
			     op->bytes);
	return check_pointers(t, op->pointers, op->pointer_count, op->bytes);
}

static bool check_free(struct track *t)
{
	struct object *buffer;

	if (!find(t, &t->buffers, "buffer", t->op->buffer, &buffer))
		return false;
	buffer->alive = buffer->alive && t->op->code;
	return true;
}

/* --- launches --- */

static bool check_dimensions(struct track *t, const struct row_launch *e)
{
	if (t->op->code)
		return true;
	if (e->grid[0] > MAX_GRID_X || e->grid[1] > MAX_GRID_YZ || e->grid[2] > MAX_GRID_YZ)
		return wrong(t, "invalid grid %" PRIu32 ",%" PRIu32 ",%" PRIu32, e->grid[0],
			     e->grid[1], e->grid[2]);
	for (int i = 0; i < 3; i++)
		if (e->block[i] > MAX_BLOCK)
			return wrong(t, "invalid block %" PRIu32 ",%" PRIu32 ",%" PRIu32,
				     e->block[0], e->block[1], e->block[2]);
	return true;
}

static bool check_launch(struct track *t)
{
	const struct row_launch *e = t->op->launch;

	if (!check_dimensions(t, e))
		return false;
	for (int i = 0; i < e->arg_count; i++) {
		const struct row_arg *arg = &e->args[i];

		if (!check_pointer(t, arg->buffer, arg->offset)
		    || !check_pointers(t, arg->pointers, arg->pointer_count, arg->blob_bytes))
			return false;
	}
	return true;
}

/* --- the host --- */

/* The rows of all heads are in the buffer, and no head's overlap another's. */
static bool check_heads(struct track *t, uint32_t buffer, uint64_t offset)
{
	const struct row_softmax *e = t->op->softmax;
	uint64_t head = (uint64_t)e->keys * (uint64_t)e->head_dim, all;

	if (__builtin_mul_overflow(head, sizeof(float), &head)
	    || __builtin_mul_overflow((uint64_t)e->heads - 1, e->stride, &all)
	    || __builtin_add_overflow(all, head, &all) || (e->heads > 1 && e->stride < head))
		return wrong(t, "%d keys of %d heads, %" PRIu64 " bytes apart", e->keys, e->heads,
			     e->stride);
	return check_range(t, buffer, offset, all);
}

static bool check_softmax(struct track *t)
{
	const struct row_softmax *e = t->op->softmax;
	uint64_t elements = (uint64_t)e->heads * (uint64_t)e->head_dim;

	if (t->op->bytes % sizeof(float) || t->op->bytes / sizeof(float) != elements)
		return wrong(t, "a softmax of %d heads with %" PRIu64 " bytes", e->heads,
			     t->op->bytes);
	return check_heads(t, e->k_buffer, e->k_offset) && check_heads(t, e->v_buffer, e->v_offset);
}

/* --- streams, events, graphs --- */

static bool check_stream(struct track *t)
{
	const struct row_op *op = t->op;
	struct object *stream;

	if (op->kind == OP_STREAM_CREATE && !op->code) {
		if (!is_next(t, &t->streams, "stream", op->stream))
			return false;
		add(&t->streams, 0);
		return true;
	}
	/* 0, the default stream, always exists. */
	if (op->stream && !find(t, &t->streams, "stream", op->stream, &stream))
		return false;
	if (op->kind == OP_STREAM_DESTROY && !op->code) {
		if (!op->stream)
			return wrong(t, "the default stream is destroyed");
		stream->alive = false;
	}
	return true;
}

static bool check_event(struct track *t)
{
	const struct row_op *op = t->op;
	struct object *event;

	if (op->kind == OP_EVENT_CREATE) {
		if (op->code)
			return true;
		if (!is_next(t, &t->events, "event", op->object))
			return false;
		add(&t->events, 0);
		return true;
	}
	if (!find(t, &t->events, "event", op->object, &event))
		return false;
	if (op->kind == OP_EVENT_DESTROY && !op->code)
		event->alive = false;
	return true;
}

/* A graph exists from the beginning of its capture. */
static bool check_new_graph(struct track *t)
{
	if (t->op->code)
		return true;
	if (!is_next(t, &t->graphs, "graph", t->op->object))
		return false;
	add(&t->graphs, 0);
	return true;
}

static bool check_old_graph(struct track *t)
{
	const struct row_op *op = t->op;
	struct object *graph;

	if (op->kind == OP_CAPTURE_END && op->code && op->object < 0)
		return true;                    /* the stream was not capturing */
	if (!find(t, &t->graphs, "graph", op->object, &graph))
		return false;
	/* A failed capture leaves no graph. */
	graph->alive = graph->alive && (op->kind == OP_CAPTURE_END) == !op->code;
	return true;
}

static bool check_node_work(struct track *t)
{
	const struct row_op *op = t->op;
	bool has_launch = op->node->work == OP_LAUNCH && !op->node->own;

	if (!op->launch != !has_launch)
		return wrong(t, has_launch ? "a launch node without a launch"
					   : "a launch in a node of another kind");
	switch (op->node->work) {
	case OP_LAUNCH:
		return true;
	case OP_COPY:
		if (!op->node->own
		    && !check_range(t, op->from_buffer, op->from_offset, op->bytes))
			return false;
		return check_range(t, op->buffer, op->offset, op->bytes);
	case OP_FILL: case OP_UPLOAD_ASYNC: case OP_DOWNLOAD_ASYNC:
		return check_range(t, op->buffer, op->offset, op->bytes);
	default:
		return wrong(t, "a node cannot do %s", op_kind_name(op->node->work));
	}
}

/* Nodes are numbered without gaps; one that the recorder added has the number of the next node. */
static bool check_node(struct track *t)
{
	const struct row_node *node = t->op->node;
	struct object *graph;

	if (!node)
		return wrong(t, "no graph given");
	if (!find(t, &t->graphs, "graph", node->graph, &graph))
		return false;
	if (t->op->code)
		return true;
	if (node->node < 0 || (uint64_t)node->node != graph->bytes)
		return wrong(t, "expected node %" PRIu64 ", got %d", graph->bytes, node->node);
	if (!check_node_work(t))
		return false;
	graph->bytes += !node->own;
	return true;
}

static bool check_instantiate(struct track *t)
{
	struct object *graph;

	if (!t->op->node)
		return wrong(t, "no graph given");
	if (!find(t, &t->graphs, "graph", t->op->node->graph, &graph))
		return false;
	if (t->op->code)
		return true;
	if (!is_next(t, &t->execs, "executable graph", t->op->object))
		return false;
	add(&t->execs, graph->bytes);
	t->execs.items[t->execs.count - 1].graph = (uint32_t)t->op->node->graph;
	return true;
}

static bool check_exec(struct track *t)
{
	const struct row_op *op = t->op;
	struct object *exec;

	if (!find(t, &t->execs, "executable graph", op->object, &exec))
		return false;
	if (op->kind == OP_GRAPH_EXEC_DESTROY) {
		exec->alive = exec->alive && op->code;
		return true;
	}
	if (!op->node || op->node->graph != (int)exec->graph)
		return wrong(t, "executable graph %" PRId64 " is of another graph", op->object);
	if (op->kind == OP_GRAPH_UPLOAD)
		return (op->node->node >= 0 && (uint64_t)op->node->node < exec->bytes)
		       || wrong(t, "node %d of %" PRIu64, op->node->node, exec->bytes);
	t->graph_launch = t->next;
	t->launches_left = op->code ? 0 : exec->bytes;
	return true;
}

/* Launches made by a graph follow its graph launch; there are at most as many as nodes. */
static bool check_made(struct track *t)
{
	if (t->op->object < 0)
		return true;
	if (t->op->object != t->graph_launch || t->launches_left == 0)
		return wrong(t, "operation %" PRId64 " did not make this launch", t->op->object);
	t->launches_left--;
	return true;
}

static bool check(struct track *t)
{
	const struct row_op *op = t->op;

	if (op->launch && !check_launch(t))
		return false;
	switch (op->kind) {
	case OP_ALLOC: case OP_VARIABLE:
		return check_alloc(t);
	case OP_FREE:
		return check_free(t);
	case OP_COPY:
		if (!check_range(t, op->from_buffer, op->from_offset, op->bytes))
			return false;
		return check_range(t, op->buffer, op->offset, op->bytes);
	case OP_UPLOAD: case OP_DOWNLOAD: case OP_FILL: case OP_UPLOAD_ASYNC:
	case OP_DOWNLOAD_ASYNC:
		return check_range(t, op->buffer, op->offset, op->bytes);
	case OP_UPLOAD_POINTERS: case OP_RESTORE:
		return check_range(t, op->buffer, op->offset, op->bytes) && check_pointer_table(t);
	case OP_EVENT_CREATE: case OP_EVENT_DESTROY: case OP_EVENT_RECORD: case OP_EVENT_WAIT:
	case OP_EVENT_SYNC:
		return check_event(t);
	case OP_CAPTURE_BEGIN: case OP_GRAPH_CREATE:
		return check_new_graph(t);
	case OP_CAPTURE_END: case OP_GRAPH_DESTROY:
		return check_old_graph(t);
	case OP_GRAPH_NODE:
		return check_node(t);
	case OP_GRAPH_INSTANTIATE:
		return check_instantiate(t);
	case OP_GRAPH_UPLOAD: case OP_GRAPH_LAUNCH: case OP_GRAPH_EXEC_DESTROY:
		return check_exec(t);
	case OP_LAUNCH:
		return check_made(t);
	case OP_HOST_SOFTMAX:
		return check_softmax(t);
	case OP_SYNC: case OP_STREAM_CREATE: case OP_STREAM_DESTROY: case OP_CAPTURE_RELAX:
	case OP_HEAP: case OP_COUNT:
		break;
	}
	return true;
}

const char *track_op(struct track *t, const struct row_op *op)
{
	bool good;

	t->op = op;
	good = check_stream(t) && check(t);
	t->next++;
	return good ? NULL : t->wrong;
}
