/* capture.c - captures under way: what they forbid, and the graphs they make.
 *
 * The table says what each operation meets in each mode; what depends on where an event was
 * recorded, and on which streams are joined, is here (902 to 905, 907, 908). A stream that
 * captures knows its ends: the nodes that the next one comes after.
 */
#include "config.h"

#include "sim/capture.h"

#include <pthread.h>
#include <stdlib.h>

#include "sim/graph.h"
#include "traces/xalloc.h"

struct capture {
	struct capture *next;
	uint64_t number;
	enum capture_mode mode;
	enum capture_state state;
	pthread_t thread;               /* that began it */
	struct stream *origin;
	struct graph *graph;
};

static _Thread_local bool relaxed;      /* this thread's exchanged mode, as CUDA keeps it */

/* --- what is forbidden --- */

enum { SAME, OTHER };

static const struct rule {
	int code;
	enum capture_state after;
} rules[OPERATION_COUNT][3][2] = {
#define X(operation, mode, stream, code, state) \
	[OPERATION_##operation][CAPTURE_##mode][stream] = { code, CAPTURE_##state },
	CAPTURE_RULES(X)
#undef X
};

static const char *operation_name(enum operation operation)
{
	static const char *const names[] = {
#define X(name) #name,
		CAPTURE_OPERATIONS(X)
#undef X
	};

	return names[operation];
}

/* A thread's own capture binds it in two modes, another thread's only in the global one. */
static enum capture_mode mode_here(const struct capture *capture)
{
	if (relaxed)
		return CAPTURE_RELAXED;
	if (capture->mode == CAPTURE_THREAD_LOCAL
	    && !pthread_equal(capture->thread, pthread_self()))
		return CAPTURE_RELAXED;
	return capture->mode;
}

static enum status refuse(enum operation operation, const struct capture *capture, int code)
{
	static const char *const modes[] = { "global", "thread-local", "relaxed" };

	return fail_device(code, "%s: %s (%d) while a capture in %s mode is under way",
			   operation_name(operation), cuda_error_name(code), code,
			   modes[capture->mode]);
}

/* One capture's word on an operation that touches it or does not. */
static enum status ask(enum operation operation, struct capture *capture, bool touched)
{
	const struct rule *rule = &rules[operation][mode_here(capture)][touched ? SAME : OTHER];

	if (touched && capture->state == CAPTURE_INVALIDATED && operation != OPERATION_capture_end)
		return refuse(operation, capture, 901);
	if (rule->code == 0)
		return STATUS_OK;
	if (rule->after == CAPTURE_INVALIDATED)
		capture->state = CAPTURE_INVALIDATED;
	return refuse(operation, capture, rule->code);
}

static enum status check(struct device_simulated *sim, enum operation operation,
			 const struct capture *touched, bool whole_device)
{
	if (sim->observing)
		return STATUS_OK;
	TRY(device_check_alive(sim));
	for (struct capture *c = sim->captures; c; c = c->next)
		TRY(ask(operation, c, whole_device || c == touched));
	return STATUS_OK;
}

enum status capture_check(struct device_simulated *sim, enum operation operation,
			  const struct stream *stream)
{
	return check(sim, operation, stream ? stream->capture : NULL, stream == NULL);
}

static struct capture *capture_of(const struct event *event)
{
	struct capture *capture = event->sim->captures;

	while (capture && capture->number != event->capture)
		capture = capture->next;
	return capture;
}

enum status capture_check_event(struct device_simulated *sim, enum operation operation,
				const struct event *event)
{
	TRY(check(sim, operation, capture_of(event), false));
	if (event->capture && operation != OPERATION_event_destroy)
		return fail_device(907, "%s: the event was last recorded in a capture",
				   operation_name(operation));
	return STATUS_OK;
}

enum status sim_capture_relax(struct device *device, bool on)
{
	(void)device;
	relaxed = on;
	return STATUS_OK;
}

/* --- nodes --- */

static void set_ends(int **ends, int *count, const int *from, int from_count)
{
	*ends = xreallocarray(*ends, (size_t)from_count + 1, sizeof **ends);
	for (int i = 0; i < from_count; i++)
		(*ends)[i] = from[i];
	*count = from_count;
}

static void add_end(struct stream *stream, int node)
{
	for (int i = 0; i < stream->end_count; i++)
		if (stream->ends[i] == node)
			return;
	stream->ends = xreallocarray(stream->ends, (size_t)stream->end_count + 1,
				     sizeof *stream->ends);
	stream->ends[stream->end_count++] = node;
}

void capture_add(struct stream *stream, struct task *task)
{
	int node = graph_add(stream->capture->graph, task, stream->ends, stream->end_count);

	set_ends(&stream->ends, &stream->end_count, &node, 1);
}

/* Its nodes join the graph, after all that was before in the stream. */
void capture_add_graph(struct stream *stream, const struct graph_exec *exec)
{
	struct graph *graph = stream->capture->graph;
	int first = graph->count, *ends = stream->ends, end_count = stream->end_count;
	bool *followed = xcalloc((size_t)exec->count + 1, sizeof *followed);

	if (exec->count == 0) {
		free(followed);
		return;
	}
	stream->ends = NULL;
	stream->end_count = 0;
	for (int i = 0; i < exec->count; i++) {
		const struct node *node = &exec->nodes[i];
		int added = graph_add(graph, task_keep(node->task), node->after, node->after_count);
		struct node *copy = &graph->nodes[added];

		for (int a = 0; a < node->after_count; a++) {
			copy->after[a] += first;
			followed[node->after[a]] = true;
		}
		if (node->after_count == 0)
			set_ends(&copy->after, &copy->after_count, ends, end_count);
	}
	for (int i = 0; i < exec->count; i++)
		if (!followed[i])
			add_end(stream, first + i);
	free(followed);
	free(ends);
}

/* --- events between streams --- */

void capture_record(const struct stream *stream, struct event *event)
{
	event->capture = stream->capture->number;
	set_ends(&event->ends, &event->end_count, stream->ends, stream->end_count);
}

static enum status invalidate(struct capture *capture, int code, const char *why)
{
	capture->state = CAPTURE_INVALIDATED;
	return fail_device(code, "event_wait: %s (%d): %s", cuda_error_name(code), code, why);
}

enum status capture_wait(struct stream *stream, const struct event *event, bool *done)
{
	struct capture *theirs = capture_of(event);

	*done = stream->capture || event->capture;
	if (!*done)
		return STATUS_OK;
	if (!event->capture && !event->mark)
		return STATUS_OK;
	if (!event->capture)
		return invalidate(stream->capture, 905, "the event was recorded before the capture");
	if (!theirs)
		return fail_device(907, "event_wait: the event was recorded in a capture that has "
				   "ended");
	if (theirs->state == CAPTURE_INVALIDATED)
		return refuse(OPERATION_event_wait, theirs, 901);
	if (stream->capture && stream->capture != theirs) {
		theirs->state = CAPTURE_INVALIDATED;
		return invalidate(stream->capture, 902, "the event belongs to another capture");
	}
	stream->capture = theirs;
	for (int i = 0; i < event->end_count; i++)
		add_end(stream, event->ends[i]);
	return STATUS_OK;
}

/* --- beginning and ending --- */

enum status sim_capture_begin(struct device *device, struct stream *stream, enum capture_mode mode)
{
	struct device_simulated *sim = simulated(device);
	struct capture *capture;

	TRY(stream_find(sim, stream, &stream));
	TRY(capture_check(sim, OPERATION_capture_begin, stream));
	capture = xcalloc(1, sizeof *capture);
	capture->number = ++sim->capture_count;
	capture->mode = mode;
	capture->state = CAPTURE_ACTIVE;
	capture->thread = pthread_self();
	capture->origin = stream;
	capture->graph = graph_new();
	capture->next = sim->captures;
	sim->captures = capture;
	stream->capture = capture;
	return STATUS_OK;
}

static void stream_leave(struct stream *stream)
{
	free(stream->ends);
	stream->ends = NULL;
	stream->end_count = 0;
	stream->capture = NULL;
}

/* All its streams work again; the graph is the caller's. */
static struct graph *finish(struct device_simulated *sim, struct capture *capture)
{
	struct capture **link = &sim->captures;
	struct graph *graph = capture->graph;

	for (struct stream *s = sim->streams; s; s = s->next)
		if (s->capture == capture)
			stream_leave(s);
	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	free(capture);
	return graph;
}

/* Whether every other stream's ends come before the origin's. */
static bool joined(const struct device_simulated *sim, const struct capture *capture)
{
	const struct graph *graph = capture->graph;
	const struct stream *origin = capture->origin;
	bool *before = xcalloc((size_t)graph->count + 1, sizeof *before), all = true;

	for (int i = 0; i < origin->end_count; i++)
		before[origin->ends[i]] = true;
	for (int i = graph->count - 1; i >= 0; i--)
		for (int a = 0; before[i] && a < graph->nodes[i].after_count; a++)
			before[graph->nodes[i].after[a]] = true;
	for (const struct stream *s = sim->streams; s; s = s->next)
		for (int i = 0; s->capture == capture && i < s->end_count; i++)
			all = all && before[s->ends[i]];
	free(before);
	return all;
}

static enum status check_end(struct device_simulated *sim, const struct stream *stream)
{
	const struct capture *capture = stream->capture;

	if (!capture)
		return fail_device(401, "capture_end: the stream is not capturing");
	if (capture->origin != stream)
		return fail_device(903, "capture_end: the capture began in another stream");
	if (capture->mode != CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
		return fail_device(908, "capture_end: the capture began in another thread");
	return capture_check(sim, OPERATION_capture_end, stream);
}

enum status sim_capture_end(struct device *device, struct stream *stream, struct graph **out)
{
	struct device_simulated *sim = simulated(device);
	struct graph *graph;
	int code = 0;

	TRY(stream_find(sim, stream, &stream));
	TRY(check_end(sim, stream));
	if (stream->capture->state == CAPTURE_INVALIDATED)
		code = 901;
	else if (!joined(sim, stream->capture))
		code = 904;
	graph = finish(sim, stream->capture);
	if (code == 0) {
		graph_own(sim, graph);
		*out = graph;
		return STATUS_OK;
	}
	graph_free(graph);
	return fail_device(code, "capture_end: %s (%d): %s", cuda_error_name(code), code,
			   code == 901 ? "something forbidden was done during the capture"
			   : "work of another stream was not waited for");
}

enum status sim_capture_state(struct device *device, struct stream *stream, enum capture_state *out)
{
	TRY(stream_find(simulated(device), stream, &stream));
	*out = stream->capture ? stream->capture->state : CAPTURE_NONE;
	return STATUS_OK;
}

/* --- endings of another kind --- */

void capture_stream_gone(struct stream *stream)
{
	struct capture *capture = stream->capture;

	if (!capture)
		return;
	capture->state = CAPTURE_INVALIDATED;
	if (capture->origin == stream)
		graph_free(finish(stream->sim, capture));
	else
		stream_leave(stream);
}

void captures_close(struct device_simulated *sim)
{
	while (sim->captures)
		graph_free(finish(sim, sim->captures));
}
