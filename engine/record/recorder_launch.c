/* recorder_launch.c - launches: what is done before each, after it, and when the device runs it.
 *
 * What a launch writes is asked of the kernel table right before it runs, since the answer may lie
 * in device memory that it or others change, and read right after. A device that runs work later
 * tells when that is; any other is waited for. A launch's row is stored at the call, so that rows
 * are in the order of calls. Captured launches are recorder_capture.c's part.
 */
#include "config.h"

#include "engine/record/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/launch_copy.h"
#include "engine/record/recorder_internal.h"

/* --- the call as the kernel table wants it --- */

enum status recording_read(const struct recording *rec, const struct buffer *buffer,
			   uint64_t offset, void *out, uint64_t bytes)
{
	struct recorder *r = rec->recorder;

	if (rec->node)
		return graph_read(r, rec->node, buffer, offset, out, bytes);
	return device_download(r->device.inner, NULL, buffer, offset, out, bytes);
}

static bool call_read(void *context, int param, uint64_t offset, size_t bytes, void *out)
{
	const struct recording *rec = context;
	const struct arg *arg = &rec->launch->args[param];
	struct device *inner = rec->recorder->device.inner;

	if (!arg->buffer)
		return false;
	if (rec->node)
		return recording_read(rec, arg->buffer, arg->offset + offset, out,
				      bytes) == STATUS_OK;
	return device_download(inner, rec->launch->stream, arg->buffer, arg->offset + offset, out,
			       bytes) == STATUS_OK;
}

static struct kernel_value value_of(const struct arg *arg)
{
	switch (arg->kind) {
	case PARAM_I32: return (struct kernel_value){ arg->value.i32, arg->value.i32 };
	case PARAM_U32: return (struct kernel_value){ arg->value.u32, arg->value.u32 };
	case PARAM_I64: return (struct kernel_value){ arg->value.i64, (double)arg->value.i64 };
	case PARAM_U64:
		return (struct kernel_value){ (int64_t)arg->value.u64, (double)arg->value.u64 };
	case PARAM_F32: return (struct kernel_value){ 0, arg->value.f32 };
	case PARAM_F64: return (struct kernel_value){ 0, arg->value.f64 };
	case PARAM_POINTER:
		return (struct kernel_value){
			arg->buffer ? (int64_t)(arg->buffer->bytes - arg->offset) : 0, 0.0
		};
	case PARAM_BLOB: break;
	}
	return (struct kernel_value){ 0, 0.0 };
}

void recording_begin(struct recording *rec, struct recorder *r, const struct launch *launch,
		     const struct node *node)
{
	int count;

	*rec = (struct recording){ .recorder = r, .launch = launch, .node = node };
	rec->params = kernel_params(launch->kernel, &count);
	for (int i = 0; i < launch->arg_count; i++)
		rec->values[i] = value_of(&launch->args[i]);
	rec->call = (struct kernel_call){
		.grid = launch->grid, .block = launch->block,
		.shared_bytes = launch->shared_bytes, .values = rec->values,
		.read = call_read, .context = rec,
	};
}

void recording_end(struct recording *rec)
{
	for (int i = 0; i < rec->written_count; i++)
		ranges_clear(&rec->written[i].ranges);
	rec->written_count = 0;
}

/* --- what it writes --- */

static void add_extent(void *context, int param, uint64_t offset, uint64_t bytes)
{
	struct recording *rec = context;
	const struct arg *arg = &rec->launch->args[param];
	struct shadow *shadow = arg->buffer ? shadow_find(rec->recorder, arg->buffer) : NULL;
	uint64_t begin = arg->offset + offset;
	int i = 0;

	if (!shadow || begin >= shadow->buffer->bytes)
		return;
	/* A launch that leaves its buffer fails on the device; the digest then never happens. */
	if (bytes > shadow->buffer->bytes - begin)
		bytes = shadow->buffer->bytes - begin;
	while (i < rec->written_count && rec->written[i].shadow != shadow)
		i++;
	if (i == rec->written_count)
		rec->written[rec->written_count++] = (struct written){ .shadow = shadow };
	ranges_add(&rec->written[i].ranges, begin, bytes);
}

/* A kernel that does not say what it writes may write everything it has a non-const pointer to. */
void recording_find_written(struct recording *rec)
{
	const struct kernel *kernel = rec->launch->kernel;

	if (kernel->writes) {
		kernel->writes(&rec->call, add_extent, rec);
		return;
	}
	for (int i = 0; i < rec->launch->arg_count; i++)
		if (rec->params[i].kind == PARAM_POINTER && !strstr(rec->params[i].type, "const"))
			add_extent(rec, i, 0, (uint64_t)rec->values[i].i);
}

void recording_mark_written(const struct recording *rec)
{
	for (int i = 0; i < rec->written_count; i++) {
		const struct written *w = &rec->written[i];

		for (size_t k = 0; k < w->ranges.count; k++)
			shadow_written(rec->recorder, w->shadow, w->ranges.items[k].begin,
				       w->ranges.items[k].end - w->ranges.items[k].begin);
	}
}

/* --- what came of it --- */

static enum status store_probed(const struct recording *rec, struct probe *probe)
{
	const struct dim3 block = rec->launch->block;
	struct recorder *r = rec->recorder;
	struct row_point *points;
	uint64_t dropped;
	enum status status;
	size_t count;

	TRY(probe_collect(probe, r->points, &points, &count, &dropped));
	/* The device may tell of a launch before the row of it is there. */
	status = store_points_ahead(r->store, r->run, rec->number,
				    (int64_t)block.x * block.y * block.z, points, count, dropped);
	free(points);
	return status;
}

enum status recording_results(struct recording *rec, struct probe *points)
{
	enum kernel_role role = rec->launch->kernel->role;
	/* Partials and results of attention are kept whole. */
	bool keep = rec->recorder->level >= LEVEL_PARTIALS
		&& (role == ROLE_REDUCE || role == ROLE_ATTENTION);

	for (int i = 0; i < rec->written_count; i++)
		if (rec->written[i].ranges.count)
			TRY(recorder_digest_written(rec, &rec->written[i], keep));
	TRY(recorder_decode(rec));
	return points ? store_probed(rec, points) : STATUS_OK;
}

/* --- tickets --- */

static struct ticket *ticket_new(struct recorder *r, const struct launch *launch)
{
	struct ticket *t = xcalloc(1, sizeof *t);

	t->recorder = r;
	t->launch = launch_copy(launch);
	t->launch.ticket = t;
	t->stored = r->storing;
	recording_begin(&t->recording, r, &t->launch, NULL);
	/* The device may tell of the work before it returns, and the row be stored after that. */
	t->recording.op = r->last_op + 1;
	t->recording.number = r->launches;
	t->next = r->tickets;
	r->tickets = t;
	return t;
}

static void ticket_free(struct ticket *t)
{
	struct ticket **link = &t->recorder->tickets;

	while (*link != t)
		link = &(*link)->next;
	*link = t->next;
	recording_end(&t->recording);
	launch_copy_free(&t->launch);
	free(t);
}

void tickets_free(struct recorder *r)
{
	while (r->tickets)
		ticket_free(r->tickets);
}

static enum status ticket_before(struct ticket *t)
{
	bool active;

	recording_find_written(&t->recording);
	if (!t->launch.probed)
		return STATUS_OK;
	return probe_prepare(t->recorder->probe, t->launch.kernel, &t->recording.call, &active);
}

static enum status ticket_after(struct ticket *t)
{
	enum status status = STATUS_OK;

	if (t->stored)
		status = recording_results(&t->recording,
					   t->launch.probed ? t->recorder->probe : NULL);
	recording_mark_written(&t->recording);
	return status;
}

void recorder_keep_error(struct recorder *r, enum status status)
{
	if (status == STATUS_OK || r->late != STATUS_OK)
		return;
	r->late = status;
	error_save(&r->late_error);
}

static void observe_before(void *context, void *ticket)
{
	struct ticket *t = ticket;

	if (t->node)
		recorder_node_begins(t->node);
	else
		recorder_keep_error(context, ticket_before(t));
}

static void ticket_ended(struct ticket *t, enum status done)
{
	struct recorder *r = t->recorder;
	int code = error_code();

	t->ended = true;
	if (done == STATUS_OK && r->late == STATUS_OK)
		recorder_keep_error(r, ticket_after(t));
	else if (done != STATUS_OK && t->noted && t->stored)
		recorder_keep_error(r, store_op_failed(r->store, r->run, t->recording.op,
						       code ? code : 999));
	if (!t->calling)
		ticket_free(t);
}

static void observe_after(void *context, void *ticket, enum status done)
{
	struct ticket *t = ticket;

	(void)context;
	if (t->node)
		recorder_node_ended(t->node, done);
	else
		ticket_ended(t, done);
}

const struct device_observer recorder_observer = {
	.before = observe_before, .after = observe_after,
};

/* --- launching --- */

enum status recorder_own_begin(struct recorder *r)
{
	if (!r->capturing.count || r->relaxed)
		return STATUS_OK;
	return device_capture_relax(r->device.inner, true);
}

void recorder_own_end(struct recorder *r)
{
	struct error_record error;

	if (!r->capturing.count || r->relaxed)
		return;
	error_save(&error);
	device_capture_relax(r->device.inner, false);
	error_restore(&error);
}

static enum status note_launch(struct ticket *t, enum status done)
{
	struct recorder *r = t->recorder;
	double us = !r->observed && done == STATUS_OK ? device_last_launch_us(r->device.inner) : -1;
	struct row_op row = OP(OP_LAUNCH, .stream = numbers_find(&r->streams, t->launch.stream));
	int64_t op;

	row.duration_us = us < 0.0 ? NAN : us;
	done = recorder_note_launch(r, &t->launch, t->recording.number, &row, done, &op);
	t->noted = op >= 0;
	return done;
}

static enum status wait_for(struct ticket *t)
{
	struct recorder *r = t->recorder;
	enum status status;

	TRY(recorder_own_begin(r));
	status = device_sync(r->device.inner, t->launch.stream);
	recorder_own_end(r);
	return status;
}

static enum status own_before(struct ticket *t)
{
	struct recorder *r = t->recorder;
	enum status status;

	if (r->observed)
		return STATUS_OK;
	TRY(recorder_own_begin(r));
	status = ticket_before(t);
	recorder_own_end(r);
	return status;
}

static enum status own_after(struct ticket *t)
{
	struct recorder *r = t->recorder;
	enum status status;

	if (r->observed)
		return STATUS_OK;
	TRY(recorder_own_begin(r));
	status = ticket_after(t);
	recorder_own_end(r);
	return status;
}

static enum status launch_ticket(struct ticket *t)
{
	struct recorder *r = t->recorder;
	enum status done;

	if (t->stored) {
		TRY(recorder_store_kernel(r, t->launch.kernel));
		if (r->probe)
			TRY(probe_check(t->launch.kernel, &t->recording.call, &t->launch.probed));
	}
	TRY(own_before(t));
	done = device_launch(r->device.inner, &t->launch);
	t->given = done == STATUS_OK;
	if (done == STATUS_OK && !r->observed && t->stored)
		done = wait_for(t);
	if (t->stored)
		done = note_launch(t, done);
	TRY(done);
	return own_after(t);
}

enum status recorder_launch(struct device *device, const struct launch *launch)
{
	struct recorder *r = recorder_of(device);
	struct graph_shadow *capture = recorder_capture_of(r, launch->stream);
	struct ticket *t;
	enum status done;

	if (capture)
		return recorder_capture_launch(r, capture, launch);
	TRY(recorder_window(r, 'L', r->launches, 1));
	t = ticket_new(r, launch);
	t->calling = true;
	done = launch_ticket(t);
	t->calling = false;
	if (t->ended || !t->given || !r->observed)
		ticket_free(t);
	if (!recorder_refused(done))
		r->launches++;
	return done;
}

enum status recorder_next_launch(struct device *device, int64_t number)
{
	struct recorder *r = recorder_of(device);

	if (number < r->launches)
		return fail(STATUS_DAMAGED, "launch %lld comes after launch %lld",
			    (long long)number, (long long)r->launches - 1);
	r->launches = number;
	return STATUS_OK;
}
