/* recorder_launch.c - records launches outside of graphs.
 *
 * The extents that a launch will write are found right before it runs, and read right after. A
 * device that runs work later calls an observer at these times; on any other, the recorder waits
 * for the launch. A launch's row is stored at the call, so that rows are in the order of calls.
 * recorder_capture.c handles captured launches. Used by recorder.c.
 */
#include "engine/record/recorder_launch.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/launch_copy.h"
#include "engine/record/graph_shadow.h"
#include "engine/record/probe.h"
#include "engine/record/recorder_accesses.h"
#include "engine/record/recorder_capture.h"
#include "engine/record/recorder_describe.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_results.h"
#include "engine/record/recorder_run.h"
#include "engine/record/recorder_state.h"
#include "engine/record/recorder_step.h"
#include "engine/record/recorder_wait.h"
#include "engine/record/recording.h"
#include "traces/store/store.h"

/* A launch outside of graphs that has not ended. */
struct pending {
	struct ticket ticket;           /* must be first */
	struct pending *next;           /* in recorder.pending */
	struct recording recording;
	bool stored, noted;             /* is in a window; its row is stored */
	bool calling, given, ended;     /* in device_launch(); accepted by the device; has ended */
};

/* --- launches that have not ended --- */

static struct pending *pending_new(struct recorder *r, const struct launch *launch)
{
	struct pending *p = r->spare ? r->spare : xmalloc(sizeof *p);

	r->spare = NULL;
	p->ticket = (struct ticket){ .recorder = r, .launch = launch_copy(launch) };
	p->ticket.launch.ticket = &p->ticket;
	p->stored = r->storing;
	p->noted = p->calling = p->given = p->ended = false;
	recording_begin(&p->recording, r, &p->ticket.launch, NULL);
	/* The observer may be called before the device returns and the row is stored. */
	p->recording.op = r->last_op + 1;
	p->recording.number = r->launches;
	p->next = r->pending;
	r->pending = p;
	return p;
}

/* Keeps its memory for the next launch. */
static void pending_free(struct pending *p)
{
	struct recorder *r = p->ticket.recorder;
	struct pending **link = &r->pending;

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	recording_end(&p->recording);
	launch_copy_free(&p->ticket.launch);
	free(r->spare);
	r->spare = p;
}

void recorder_launch_free(struct recorder *r)
{
	while (r->pending)
		pending_free(r->pending);
	free(r->spare);
}

static enum status pending_before(struct pending *p)
{
	struct recorder *r = p->ticket.recorder;
	bool active;

	recording_find_written(&p->recording);
	/* A probed launch needs its buffers even if it is not recorded in the end. */
	if (p->ticket.launch.probed)
		TRY(probe_prepare(r->probe, p->ticket.launch.kernel, &p->recording.call, &active));
	return p->stored ? recorder_accesses_watch(r, &p->ticket.launch, p->recording.number)
			 : STATUS_OK;
}

static enum status pending_after(struct pending *p)
{
	struct probe *points = p->ticket.launch.probed ? p->ticket.recorder->probe : NULL;
	enum status status = STATUS_OK;

	if (p->stored)
		status = recorder_results(&p->recording, points);
	recording_mark_written(&p->recording);
	return status;
}

static void pending_ended(struct pending *p, enum status done)
{
	struct recorder *r = p->ticket.recorder;
	int code = error_code();

	p->ended = true;
	r->unlisted = r->unlisted || done != STATUS_OK || r->late != STATUS_OK;
	if (done == STATUS_OK && r->late == STATUS_OK)
		recorder_keep_error(r, pending_after(p));
	else if (done != STATUS_OK && p->noted && p->stored)
		recorder_keep_error(r, store_op_failed(r->store, r->run, p->recording.op,
						       code ? code : 999));
	if (!p->calling)
		pending_free(p);
}

static void observe_before(void *context, void *given)
{
	struct ticket *ticket = given;

	if (ticket->node)
		recorder_node_begins(ticket->node);
	else
		recorder_keep_error(context, pending_before((struct pending *)ticket));
}

static void observe_after(void *context, void *given, enum status done)
{
	struct ticket *ticket = given;

	(void)context;
	if (ticket->node)
		recorder_node_ended(ticket->node, done);
	else
		pending_ended((struct pending *)ticket, done);
}

const struct device_observer recorder_observer = {
	.before = observe_before, .after = observe_after,
};

/* --- launching --- */

static enum status note_launch(struct pending *p, enum status done)
{
	struct recorder *r = p->ticket.recorder;
	double us = !r->observed && done == STATUS_OK ? device_last_launch_us(r->device.inner) : -1;
	struct row_op row = OP(OP_LAUNCH,
			       .stream = numbers_find(&r->streams, p->ticket.launch.stream));
	int64_t op;

	row.duration_us = us < 0.0 ? NAN : us;
	done = recorder_note_launch(r, &p->ticket.launch, p->recording.number, &row, done, &op);
	p->noted = op >= 0;
	return done;
}

static enum status wait_for(struct pending *p)
{
	struct recorder *r = p->ticket.recorder;
	enum status status;

	TRY(recorder_own_begin(r));
	status = device_sync(r->device.inner, p->ticket.launch.stream);
	recorder_own_end(r);
	return status;
}

static enum status own_before(struct pending *p)
{
	struct recorder *r = p->ticket.recorder;
	enum status status;

	if (r->observed)
		return STATUS_OK;
	TRY(recorder_own_begin(r));
	status = pending_before(p);
	recorder_own_end(r);
	return status;
}

static enum status own_after(struct pending *p)
{
	struct recorder *r = p->ticket.recorder;
	enum status status;

	if (r->observed)
		return STATUS_OK;
	TRY(recorder_own_begin(r));
	status = pending_after(p);
	recorder_own_end(r);
	return status;
}

static enum status launch_pending(struct pending *p)
{
	struct recorder *r = p->ticket.recorder;
	struct launch *launch = &p->ticket.launch;
	enum status done;

	if (p->stored) {
		TRY(recorder_store_kernel(r, launch->kernel));
		if (r->probe)
			TRY(probe_check(launch->kernel, &p->recording.call, &launch->probed));
	}
	TRY(own_before(p));
	done = device_launch(r->device.inner, launch);
	p->given = done == STATUS_OK;
	if (done == STATUS_OK && !r->observed && p->stored)
		done = wait_for(p);
	if (p->stored)
		done = note_launch(p, done);
	TRY(done);
	return own_after(p);
}

enum status recorder_launch(struct device *device, const struct launch *launch)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, launch->stream);
	struct pending *p;
	enum status done;

	if (capture)
		return recorder_capture_launch(r, capture, launch);
	TRY(recorder_window(r, 'L', r->launches, 1));
	p = pending_new(r, launch);
	p->calling = true;
	done = launch_pending(p);
	p->calling = false;
	if (p->ended || !p->given || !r->observed)
		pending_free(p);
	if (!recorder_refused(done))
		r->launches++;
	return done;
}
