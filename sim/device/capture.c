/* capture.c - active captures: which operations they forbid, and the graphs they create.
 *
 * The table gives the result of each operation in each mode. Results that depend on where an event
 * was recorded, and on which streams are joined, are computed here (902 to 905, 907, 908). A
 * capturing stream keeps its ends: the nodes that its next node depends on.
 */
#include "config.h"

#include "sim/device/capture.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "sim/check/check.h"
#include "sim/device/graph.h"
#include "sim/device/task.h"

struct capture {
	struct capture *next;
	struct device_simulated *sim;
	uint64_t number;
	enum capture_mode mode;
	enum capture_state state;
	pthread_t thread;               /* that began it */
	struct stream *origin;
	int stream;                     /* the origin's number */
	struct graph *graph;
};

static _Thread_local bool relaxed;      /* this thread has exchanged its mode, as in CUDA */

/* --- what is forbidden --- */

enum where { SAME, OTHER };             /* the capturing stream, or another */
enum how { PLAIN, THREAD, RELAXED, INVALIDATED };

static const struct rule {
	int code;
	enum capture_state after;
} rules[OPERATION_COUNT][3][2][4] = {
#define X(operation, mode, where, how, code, state) \
	[OPERATION_##operation][CAPTURE_##mode][where][how] = { code, CAPTURE_##state },
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

static enum how how_called(const struct capture *capture)
{
	if (capture->state == CAPTURE_INVALIDATED)
		return INVALIDATED;
	if (relaxed)
		return RELAXED;
	return pthread_equal(capture->thread, pthread_self()) ? PLAIN : THREAD;
}

/* Applies the rule of one capture to an operation. */
static enum status apply_rule(enum operation operation, struct capture *capture, enum where where)
{
	static const char *const modes[] = { "global", "thread-local", "relaxed" };
	const struct rule *rule = &rules[operation][capture->mode][where][how_called(capture)];

	if (rule->after == CAPTURE_INVALIDATED)
		capture->state = CAPTURE_INVALIDATED;
	if (rule->code == 0)
		return STATUS_OK;
	fail_device(rule->code, "%s: %s (%d) while a capture in %s mode is active",
		    operation_name(operation), cuda_error_name(rule->code), rule->code,
		    modes[capture->mode]);
	if (capture->sim->check)
		check_forbidden(capture->sim->check, operation_name(operation),
				modes[capture->mode], capture->stream, error_text());
	return STATUS_DEVICE;
}

static enum status check(struct device_simulated *sim, enum operation operation,
			 const struct capture *touched, bool whole_device)
{
	if (sim->observing)
		return STATUS_OK;
	TRY(simulated_check_alive(sim));
	for (struct capture *c = sim->captures; c; c = c->next)
		TRY(apply_rule(operation, c, whole_device || c == touched ? SAME : OTHER));
	return STATUS_OK;
}

enum status capture_check(struct device_simulated *sim, enum operation operation,
			  const struct stream *stream)
{
	return check(sim, operation, stream ? stream->capture : NULL, !stream);
}

static struct capture *capture_of(const struct event *event)
{
	struct capture *capture = event->sim->captures;

	while (capture && capture->number != event->capture)
		capture = capture->next;
	return capture;
}

/* The result of an operation on an event whose capture has ended. */
static enum status refuse_ended(enum operation operation)
{
	const struct rule *rule = &rules[operation][CAPTURE_GLOBAL][SAME][PLAIN];

	if (rule->code == 0)
		return STATUS_OK;
	return fail_device(rule->code, "%s: %s (%d): the event was last recorded in a capture",
			   operation_name(operation), cuda_error_name(rule->code), rule->code);
}

enum status capture_check_event(struct device_simulated *sim, const struct event *event,
				enum operation plain, enum operation captured, enum operation ended)
{
	struct capture *capture = capture_of(event);

	if (!event->capture)
		return check(sim, plain, NULL, false);
	TRY(simulated_check_alive(sim));
	return capture ? apply_rule(captured, capture, SAME) : refuse_ended(ended);
}

void capture_note_failure(const struct stream *stream, enum operation operation)
{
	struct error_record record;

	if (!stream->capture || stream->sim->observing)
		return;
	error_save(&record);
	apply_rule(operation, stream->capture, SAME);
	error_restore(&record);
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

/* As CUDA does, makes the edge from one launch to the next programmatic. */
void capture_add(struct stream *stream, struct task *task)
{
	struct graph *graph = stream->capture->graph;
	int node = graph_add(graph, task, stream->ends, stream->end_count);

	graph->nodes[node].overlaps = stream->end_count == 1 && task_may_overlap(task)
		&& task_is_launch(graph->nodes[stream->ends[0]].task);
	set_ends(&stream->ends, &stream->end_count, &node, 1);
}

/* --- events between streams --- */

void capture_record(const struct stream *stream, struct event *event)
{
	event->capture = stream->capture->number;
	set_ends(&event->ends, &event->end_count, stream->ends, stream->end_count);
}

enum status capture_wait(struct stream *stream, const struct event *event, bool *done)
{
	struct capture *mine = stream->capture, *theirs = capture_of(event);

	*done = mine || event->capture;
	if (event->capture && !theirs)
		return refuse_ended(OPERATION_ended_event_wait);
	if (mine && theirs && mine != theirs) {
		theirs->state = CAPTURE_INVALIDATED;
		return apply_rule(OPERATION_wait_other_capture, mine, SAME);
	}
	if (mine && !theirs && event->mark)
		return apply_rule(OPERATION_event_wait_before, mine, SAME);
	if (!theirs)
		return STATUS_OK;
	if (!mine)
		TRY(apply_rule(OPERATION_event_wait, theirs, SAME));
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
	capture->sim = sim;
	capture->origin = stream;
	capture->stream = stream->number;
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

/* Ends the capture: its streams run work again. The caller owns the graph. */
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

/* Whether the origin waits for all work, including that of destroyed streams. */
static bool joined(const struct capture *capture)
{
	const struct graph *graph = capture->graph;
	const struct stream *origin = capture->origin;
	bool *before = xcalloc((size_t)graph->count + 1, sizeof *before), all = true;

	for (int i = 0; i < origin->end_count; i++)
		before[origin->ends[i]] = true;
	for (int i = graph->count - 1; i >= 0; i--)
		for (int a = 0; before[i] && a < graph->nodes[i].after_count; a++)
			before[graph->nodes[i].after[a]] = true;
	for (int i = 0; i < graph->count; i++)
		all = all && before[i];
	free(before);
	return all;
}

/* Only the thread that began a capture may end it; if another thread tries, the capture is
 * discarded. */
static enum status check_end(struct device_simulated *sim, const struct stream *stream)
{
	struct capture *capture = stream->capture;
	enum status status;

	if (!capture) {
		TRY(capture_check(sim, OPERATION_capture_end, stream));
		return fail_device(401, "capture_end: the stream is not capturing");
	}
	TRY(simulated_check_alive(sim));
	if (capture->origin != stream)
		return apply_rule(OPERATION_fork_end, capture, SAME);
	if (capture->state == CAPTURE_INVALIDATED)
		return STATUS_OK;
	status = apply_rule(OPERATION_capture_end, capture, SAME);
	if (status != STATUS_OK)
		graph_free(finish(sim, capture));
	return status;
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
	else if (!joined(stream->capture))
		code = 904;
	graph = finish(sim, stream->capture);
	if (code == 0) {
		graph_own(sim, graph);
		*out = graph;
		return STATUS_OK;
	}
	graph_free(graph);
	return fail_device(code, "capture_end: %s (%d): %s", cuda_error_name(code), code,
			   code == 901 ? "a forbidden operation was called during the capture"
			   : "the origin stream did not wait for work of another stream");
}

enum status sim_capture_state(struct device *device, struct stream *stream, enum capture_state *out)
{
	TRY(stream_find(simulated(device), stream, &stream));
	*out = stream->capture ? stream->capture->state : CAPTURE_NONE;
	return STATUS_OK;
}

/* --- destroying --- */

enum status capture_destroy_stream(struct stream *stream)
{
	struct capture *capture = stream->capture;
	bool origin = capture && capture->origin == stream;

	if (!capture)
		return capture_check(stream->sim, OPERATION_stream_destroy, stream);
	TRY(simulated_check_alive(stream->sim));
	TRY(apply_rule(origin ? OPERATION_stream_destroy : OPERATION_fork_destroy, capture, SAME));
	if (origin)
		graph_free(finish(stream->sim, capture));
	else
		stream_leave(stream);
	return STATUS_OK;
}

void captures_close(struct device_simulated *sim)
{
	while (sim->captures)
		graph_free(finish(sim, sim->captures));
}
