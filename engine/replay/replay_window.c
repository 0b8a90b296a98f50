/* replay_window.c - replays some operations of a run from the memory that its trace holds; see
 * replay_window.h.
 *
 * Before the first operation, buffers are allocated and get what traces/store/state.h knows of
 * them; the rest keeps the poison of memory that was never written. The kernel table says what a
 * launch reads and writes. Work of all streams runs in the order it was issued in, which is one
 * that CUDA allows, and launches of graphs run alone.
 */
#include "engine/replay/replay_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/launch_value.h"
#include "engine/record/ranges.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay_launch.h"
#include "engine/replay/replay_memory.h"
#include "engine/replay/replay_state.h"
#include "traces/store/sparse.h"
#include "traces/store/state.h"

#define PIECE_BYTES 65536

struct walk {
	struct replay replay;           /* first: launches are given a struct replay */
	const struct replay_window *window;
	struct state *state;            /* before the first operation; NULL if that is 0 */
	struct ranges *written;         /* since then, by buffer id */
	size_t written_count;
	bool *moves;                    /* by graph: it does not only launch kernels */
	size_t move_count;
	bool unknown;                   /* the window is too short */
	bool outside;                   /* a launch would leave its buffers */
	bool follows;                   /* of the last launch */
};

/* --- what is known --- */

static void mark_written(struct walk *w, uint32_t id, uint64_t offset, uint64_t bytes)
{
	if (id >= w->written_count) {
		w->written = xreallocarray(w->written, (size_t)id + 1, sizeof *w->written);
		memset(w->written + w->written_count, 0,
		       (id + 1 - w->written_count) * sizeof *w->written);
		w->written_count = (size_t)id + 1;
	}
	ranges_add(&w->written[id], offset, bytes);
}

/* The end of the written range that `at` is in; `at` if it is in none. */
static uint64_t written_until(const struct walk *w, uint32_t id, uint64_t at)
{
	for (size_t i = 0; id < w->written_count && i < w->written[id].count; i++)
		if (w->written[id].items[i].begin <= at && at < w->written[id].items[i].end)
			return w->written[id].items[i].end;
	return at;
}

static bool is_known(const struct walk *w, uint32_t id, uint64_t begin, uint64_t end)
{
	const struct state_buffer *b = w->state ? state_find(w->state, id) : NULL;
	unsigned char known[4096];

	while (w->state && begin < end) {
		uint64_t next = written_until(w, id, begin);
		size_t count = end - begin < sizeof known ? end - begin : sizeof known, i = 0;

		if (next == begin && b && b->content && end <= b->bytes) {
			sparse_read(b->content, begin, NULL, known, count);
			while (i < count && known[i])
				i++;
			next = begin + i;
		}
		if (next == begin)
			return false;
		begin = next;
	}
	return true;
}

/* --- memory before the first operation --- */

/* Uploads the known parts of a piece. */
static enum status restore_piece(struct walk *w, struct buffer *buffer, uint64_t at,
				 const char *bytes, const unsigned char *known, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t end = i;

		while (end < count && known[end])
			end++;
		if (end > i)
			TRY(recorder_restore(w->replay.target, buffer, at + i, bytes + i, end - i));
		i = end;
	}
	return STATUS_OK;
}

static enum status restore_buffer(struct walk *w, uint32_t id, struct buffer *buffer)
{
	const struct state_buffer *b = state_find(w->state, id);
	char *bytes = xmalloc(PIECE_BYTES);
	unsigned char *known = xmalloc(PIECE_BYTES);
	enum status status = STATUS_OK;

	for (size_t at = 0; b && b->content && at < b->bytes && status == STATUS_OK;
	     at += PIECE_BYTES) {
		size_t count = b->bytes - at < PIECE_BYTES ? b->bytes - at : PIECE_BYTES;

		sparse_read(b->content, at, bytes, known, count);
		status = restore_piece(w, buffer, at, bytes, known, count);
	}
	free(known);
	free(bytes);
	return status;
}

static enum status restore(struct walk *w)
{
	const struct replay_window *window = w->window;

	if (window->first > 0) {
		TRY(state_open(window->trace, window->run, &w->state));
		TRY(state_advance(w->state, window->first - 1));
		for (uint32_t id = 0; id < w->replay.buffers.count; id++)
			if (buffer_of(&w->replay, id))
				TRY(restore_buffer(w, id, buffer_of(&w->replay, id)));
	}
	return window->step < 0 ? STATUS_OK : device_step_begin(w->replay.target, window->step);
}

/* --- launches --- */

struct call {
	struct walk *walk;
	const struct row_op *op;
	const struct launch *launch;
};

static bool read_parameter(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	const struct call *call = context;
	const struct arg *arg = &call->launch->args[param];

	return arg->buffer
		&& device_download(call->walk->replay.target->inner, NULL, arg->buffer,
				   arg->offset + offset, out, bytes) == STATUS_OK;
}

/* Whether there are bytes to read or write, and they are inside of the parameter's buffer: a trace
 * must not make a launch in this process reach elsewhere. */
static bool is_inside(const struct call *call, int param, uint64_t offset, uint64_t bytes)
{
	const struct arg *arg = &call->launch->args[param];
	uint64_t end;

	if (!arg->buffer || bytes == 0)
		return false;
	if (!__builtin_add_overflow(arg->offset, offset, &end)
	    && !__builtin_add_overflow(end, bytes, &end) && end <= arg->buffer->bytes)
		return true;
	call->walk->outside = true;
	return false;
}

static void check_read(void *context, int param, uint64_t offset, uint64_t bytes)
{
	const struct call *call = context;
	const struct row_arg *arg = &call->op->launch->args[param];

	if (is_inside(call, param, offset, bytes)
	    && !is_known(call->walk, arg->buffer, arg->offset + offset,
			 arg->offset + offset + bytes))
		call->walk->unknown = true;
}

static void add_written(void *context, int param, uint64_t offset, uint64_t bytes)
{
	const struct call *call = context;
	const struct row_arg *arg = &call->op->launch->args[param];

	if (is_inside(call, param, offset, bytes) && call->walk->state)
		mark_written(call->walk, arg->buffer, arg->offset + offset, bytes);
}

/* Whether the kernel has a table of pointers as a parameter. */
static bool follows_pointers(const struct kernel *kernel)
{
	int count;
	const struct kernel_param *params = kernel_params(kernel, &count);
	bool follows = false;

	for (int i = 0; i < count; i++)
		follows = follows || strchr(params[i].type, '*') != strrchr(params[i].type, '*');
	return follows;
}

/* A kernel whose table entry does not list its reads can only be replayed from the beginning. */
static enum status launch_known(struct replay *r, const struct row_op *op,
				const struct launch *launch)
{
	const struct kernel *kernel = launch->kernel;
	struct walk *w = (struct walk *)r;
	struct call context = { w, op, launch };
	struct kernel_value values[MAX_ARGS];
	struct kernel_call call = {
		.grid = launch->grid, .block = launch->block,
		.shared_bytes = launch->shared_bytes, .values = values, .read = read_parameter,
		.context = &context,
	};

	for (int i = 0; i < launch->arg_count; i++)
		values[i] = launch_value(&launch->args[i]);
	w->follows = follows_pointers(kernel);
	if (kernel->reads)
		kernel->reads(&call, check_read, &context);
	/* What it reads decides what it writes: lengths must be known. */
	w->unknown = w->unknown || (w->state && (!kernel->reads || !kernel->writes));
	if (kernel->writes && !w->unknown)
		kernel->writes(&call, add_written, &context);
	if (w->unknown)
		return STATUS_OK;
	if (w->outside)
		return fail(STATUS_DAMAGED, "%s: L%lld reaches outside of its buffers",
			    store_shown_path(w->window->trace),
			    (long long)op->launch->number);
	TRY(recorder_next_launch(r->target, op->launch->number));
	return device_launch(r->target, launch);
}

/* --- operations --- */

static enum status copy_known(struct walk *w, const struct row_op *op)
{
	if (!is_known(w, op->from_buffer, op->from_offset, op->from_offset + op->bytes)) {
		w->unknown = true;
		return STATUS_OK;
	}
	return replay_copy(&w->replay, op);
}

/* Remembers a graph that does more than launch kernels: that is not recorded when it runs. */
static void take_node(struct walk *w, const struct row_op *op)
{
	size_t graph = (size_t)op->node->graph;

	if (op->node->own || op->node->work == OP_LAUNCH || op->node->work == OP_DOWNLOAD_ASYNC)
		return;
	if (graph >= w->move_count) {
		w->moves = xreallocarray(w->moves, graph + 1, sizeof *w->moves);
		memset(w->moves + w->move_count, 0, graph + 1 - w->move_count);
		w->move_count = graph + 1;
	}
	w->moves[graph] = true;
}

static enum status begin_graph(struct walk *w, const struct row_op *op)
{
	size_t graph = op->node ? (size_t)op->node->graph : 0;

	if (graph >= w->move_count || !w->moves[graph])
		return STATUS_OK;
	w->unknown = true;
	return w->state ? STATUS_OK
		: fail(STATUS_USAGE, "graph %zu also copies memory: its launches cannot be replayed"
		       " alone", graph);
}

/* Buffers and pointer tables are made again from the beginning: the trace has no bytes of them. */
static enum status prepare(struct walk *w, const struct row_op *op)
{
	switch (op->kind) {
	case OP_ALLOC: return replay_alloc(&w->replay, op);
	case OP_VARIABLE: return replay_variable(&w->replay, op);
	case OP_FREE:  return replay_free(&w->replay, op);
	case OP_HEAP:  return replay_heap(&w->replay, op);
	case OP_RESTORE:
	case OP_UPLOAD_POINTERS:
		if (!op->pointers)
			return STATUS_OK;
		mark_written(w, op->buffer, op->offset, op->bytes);
		return replay_upload_pointers(&w->replay, op);
	case OP_GRAPH_NODE:
		if (op->node)
			take_node(w, op);
		return STATUS_OK;
	default: return STATUS_OK;
	}
}

static enum status repeat(struct walk *w, const struct row_op *op)
{
	struct replay *r = &w->replay;

	TRY(prepare(w, op));
	switch (op->kind) {
	case OP_UPLOAD:
	case OP_UPLOAD_ASYNC:  TRY(replay_upload(r, op)); break;
	case OP_RESTORE:
		if (op->pointers)
			return STATUS_OK;
		TRY(replay_upload(r, op));
		break;
	case OP_COPY:          TRY(copy_known(w, op)); break;
	case OP_FILL:          TRY(replay_fill(r, op)); break;
	case OP_GRAPH_LAUNCH:  return begin_graph(w, op);
	case OP_LAUNCH:        return replay_build_launch(r, op, launch_known);
	default: return STATUS_OK;
	}
	if (w->state)
		mark_written(w, op->buffer, op->offset, op->bytes);
	return STATUS_OK;
}

/* What failed when it was recorded did nothing. */
static enum status walk_ops(struct walk *w, struct store_cursor *cursor)
{
	const struct replay_window *window = w->window;
	struct row_op op;
	int64_t number = -1;
	bool end;

	while (number < window->last && !w->unknown) {
		TRY(store_ops_next(cursor, &op, &number, &end));
		if (end)
			return fail(STATUS_DAMAGED, "%s: run %lld ends before operation %lld",
				    store_shown_path(window->trace), (long long)window->run,
				    (long long)window->last);
		if (number == window->first)
			TRY(restore(w));
		if (!op.code)
			TRY(number < window->first ? prepare(w, &op) : repeat(w, &op));
	}
	return w->unknown ? STATUS_OK : device_sync(w->replay.target->inner, NULL);
}

static void walk_free(struct walk *w)
{
	state_close(w->state);
	for (size_t i = 0; i < w->written_count; i++)
		ranges_clear(&w->written[i]);
	free(w->written);
	free(w->moves);
	replay_release(&w->replay);
}

enum status replay_window_run(const struct replay_window *window, bool *known, bool *follows)
{
	struct walk w = {
		.replay = {
			.target = window->recorder, .recording = true, .trace = window->trace,
		},
		.window = window,
	};
	struct store_cursor *cursor = NULL;
	enum status status = store_ops_open(window->trace, window->run, &cursor);

	if (status == STATUS_OK)
		status = walk_ops(&w, cursor);
	store_ops_close(cursor);
	*known = !w.unknown;
	*follows = w.follows;
	walk_free(&w);
	return status;
}
