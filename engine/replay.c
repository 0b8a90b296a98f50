/* replay.c - walks a recorded run and does each operation on another device.
 *
 * Numbers of the trace become objects of the target: buffers, streams and events are looked up in
 * tables that grow as they are created. Recording what happens and comparing it are left to the
 * recorder and to traces/diff.h. Serves `flashtwin replay` and the tests.
 */
#include "config.h"

#include "engine/replay.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "engine/recorder.h"
#include "traces/xalloc.h"

/* Objects of the target by their number in the trace. */
struct table {
	void **items;
	size_t count;
};

/* A step of the trace: operations first to last. */
struct step {
	int64_t step, first_op, last_op;        /* last_op -1: it did not end */
};

struct replay {
	struct device *target;
	bool recording;                 /* the target is a recorder */
	struct store *trace;
	struct store_run run;
	struct table buffers, streams, events;
	struct step *steps;
	size_t step_count, next_step;
	bool stopped;                   /* the target failed where the recorded device did not */
	int64_t operations;
};

static void table_set(struct table *table, size_t number, void *item)
{
	if (number >= table->count) {
		table->items = xreallocarray(table->items, number + 1, sizeof *table->items);
		memset(table->items + table->count, 0,
		       (number + 1 - table->count) * sizeof *table->items);
		table->count = number + 1;
	}
	table->items[number] = item;
}

static void *table_get(const struct table *table, uint64_t number)
{
	return number < table->count ? table->items[number] : NULL;
}

static struct buffer *buffer_of(const struct replay *r, uint32_t id)
{
	return table_get(&r->buffers, id);
}

static struct stream *stream_of(const struct replay *r, const struct event_op *op)
{
	return table_get(&r->streams, (uint64_t)op->stream);
}

/* --- memory --- */

static enum status replay_alloc(struct replay *r, const struct event_op *op)
{
	const struct event_buffer *alloc = op->alloc;
	struct buffer_spec spec = {
		.name = alloc->name, .dtype = alloc->dtype, .rank = alloc->rank,
	};
	struct buffer *buffer;

	if (alloc->rank > MAX_RANK)
		return fail(STATUS_DAMAGED, "buffer %s has rank %d, at most %d is possible",
			    alloc->name, alloc->rank, MAX_RANK);
	for (int i = 0; i < alloc->rank; i++)
		spec.shape[i] = alloc->shape[i];
	TRY(device_alloc(r->target, &spec, &buffer));
	table_set(&r->buffers, alloc->id, buffer);
	return STATUS_OK;
}

static enum status replay_free(struct replay *r, const struct event_op *op)
{
	TRY(device_free(r->target, buffer_of(r, op->buffer)));
	table_set(&r->buffers, op->buffer, NULL);
	return STATUS_OK;
}

static enum status replay_upload(struct replay *r, const struct event_op *op)
{
	struct buffer *buffer = buffer_of(r, op->buffer);

	if (!op->data && op->bytes)
		return fail(STATUS_DAMAGED,
			    "the %" PRIu64 " bytes of an upload are not in the trace", op->bytes);
	if (op->kind == OP_RESTORE && r->recording)
		return recorder_restore(r->target, buffer, op->offset, op->data, op->bytes);
	return device_upload(r->target, stream_of(r, op), buffer, op->offset, op->data, op->bytes);
}

static enum status replay_upload_pointers(struct replay *r, const struct event_op *op)
{
	struct buffer *buffer = buffer_of(r, op->buffer);
	size_t count = (size_t)op->pointer_count;
	struct pointer_entry *entries = xcalloc(count, sizeof *entries);
	enum status status;

	for (size_t i = 0; i < count; i++)
		entries[i] = (struct pointer_entry){
			buffer_of(r, op->pointers[i].buffer), op->pointers[i].offset,
		};
	if (op->kind == OP_RESTORE && r->recording)
		status = recorder_restore_pointers(r->target, buffer, op->offset, entries, count);
	else
		status = device_upload_pointers(r->target, stream_of(r, op), buffer, op->offset,
						entries, count);
	free(entries);
	return status;
}

static enum status replay_download(struct replay *r, const struct event_op *op)
{
	struct buffer *buffer = buffer_of(r, op->buffer);
	enum status status;
	void *bytes;

	/* The size comes from the file: no more than the buffer has. */
	if (buffer && op->bytes > buffer->bytes)
		return fail(STATUS_DAMAGED,
			    "a download of %" PRIu64 " bytes from %s, which has %zu",
			    op->bytes, buffer->name, buffer->bytes);
	bytes = xmalloc(op->bytes);
	status = device_download(r->target, stream_of(r, op), buffer, op->offset, bytes, op->bytes);
	free(bytes);
	return status;
}

static enum status replay_copy(struct replay *r, const struct event_op *op)
{
	return device_copy(r->target, stream_of(r, op), buffer_of(r, op->buffer), op->offset,
			   buffer_of(r, op->from_buffer), op->from_offset, op->bytes);
}

static enum status replay_fill(struct replay *r, const struct event_op *op)
{
	return device_fill(r->target, stream_of(r, op), buffer_of(r, op->buffer), op->offset,
			   op->pattern, op->bytes / sizeof op->pattern);
}

static enum status replay_sync(struct replay *r, const struct event_op *op)
{
	return device_sync(r->target, stream_of(r, op));
}

/* --- launches --- */

/* Room for the pointer fields of all blob arguments of a launch. */
struct fields {
	struct pointer_field *items;
	int count;
};

static enum status kind_from_name(const char *name, enum param_kind *out)
{
	for (int kind = PARAM_I32; kind <= PARAM_BLOB; kind++)
		if (!strcmp(param_kind_name((enum param_kind)kind), name)) {
			*out = (enum param_kind)kind;
			return STATUS_OK;
		}
	return fail(STATUS_DAMAGED, "an argument is of kind '%s'", name);
}

static void build_fields(const struct replay *r, const struct event_arg *from, struct arg *arg,
			 struct fields *fields)
{
	struct pointer_field *first = fields->items + fields->count;

	for (int i = 0; i < from->pointer_count; i++)
		fields->items[fields->count++] = (struct pointer_field){
			from->pointers[i].at, buffer_of(r, from->pointers[i].buffer),
			from->pointers[i].offset,
		};
	arg->fields = first;
	arg->field_count = from->pointer_count;
}

static enum status build_arg(const struct replay *r, const struct kernel_param *param,
			     const struct event_arg *from, struct arg *arg, struct fields *fields)
{
	uint32_t half = (uint32_t)from->bits;

	*arg = (struct arg){ .name = from->name };
	TRY(kind_from_name(from->kind, &arg->kind));
	switch (arg->kind) {
	case PARAM_POINTER:
		arg->buffer = buffer_of(r, from->buffer);
		arg->offset = from->offset;
		break;
	case PARAM_BLOB:
		arg->value.blob = from->blob;
		arg->bytes = from->blob_bytes;
		arg->alignment = param->alignment;
		build_fields(r, from, arg, fields);
		break;
	case PARAM_I32: case PARAM_U32: case PARAM_F32:
		memcpy(&arg->value, &half, sizeof half);
		break;
	case PARAM_I64: case PARAM_U64: case PARAM_F64:
		arg->value.u64 = from->bits;
		break;
	}
	/* Only that it was live is known, and only that is recorded again. */
	arg->live = from->live ? from : NULL;
	return STATUS_OK;
}

static struct dim3 dim3_of(const uint32_t d[3])
{
	return (struct dim3){ d[0], d[1], d[2] };
}

static enum status build_attributes(const char *text, struct launch_attribute *out, int *count)
{
	json_t *object;

	*count = 0;
	if (!text)
		return STATUS_OK;
	object = json_loads(text, 0, NULL);
	if (!object)
		return fail(STATUS_DAMAGED, "attributes of a launch are no JSON: %s", text);
	for (int i = 1; i <= ATTRIBUTE_COUNT; i++) {
		enum launch_attribute_id id = (enum launch_attribute_id)i;
		const json_t *value = json_object_get(object, recorder_attribute_name(id));

		if (value)
			out[(*count)++] = (struct launch_attribute){ id,
				json_integer_value(value) };
	}
	json_decref(object);
	return STATUS_OK;
}

static enum status launch_built(struct replay *r, const struct event_op *op,
				const struct kernel *kernel, struct fields *fields)
{
	const struct event_launch *from = op->launch;
	struct launch_attribute attributes[ATTRIBUTE_COUNT];
	struct arg args[MAX_ARGS];
	int params, attribute_count;
	const struct kernel_param *param = kernel_params(kernel, &params);
	struct launch launch = {
		.kernel = kernel, .grid = dim3_of(from->grid), .block = dim3_of(from->block),
		.cluster = dim3_of(from->cluster), .shared_bytes = from->shared_bytes,
		.stream = stream_of(r, op), .attributes = attributes, .args = args,
		.arg_count = from->arg_count, .layer = from->layer,
	};

	if (from->arg_count != params || params > MAX_ARGS)
		return fail(STATUS_USAGE,
			    "kernel %s takes %d arguments in this build, %d in the trace",
			    from->kernel, params, from->arg_count);
	for (int i = 0; i < params; i++)
		TRY(build_arg(r, &param[i], &from->args[i], &args[i], fields));
	TRY(build_attributes(from->attributes, attributes, &attribute_count));
	launch.attribute_count = attribute_count;
	if (r->recording)
		TRY(recorder_next_launch(r->target, from->number));
	return device_launch(r->target, &launch);
}

static enum status replay_launch(struct replay *r, const struct event_op *op)
{
	const struct event_launch *from = op->launch;
	const struct kernel *kernel = kernel_find(from->kernel);
	struct fields fields = { 0 };
	enum status status;
	size_t count = 0;

	if (!kernel)
		return fail(STATUS_USAGE, "kernel %s of the trace is not in this build",
			    from->kernel);
	for (int i = 0; i < from->arg_count; i++)
		count += (size_t)from->args[i].pointer_count;
	fields.items = xcalloc(count, sizeof *fields.items);
	status = launch_built(r, op, kernel, &fields);
	free(fields.items);
	return status;
}

/* --- streams and events --- */

static enum status replay_object(struct replay *r, const struct event_op *op)
{
	struct event *event = table_get(&r->events, (uint64_t)op->object);
	struct stream *stream = stream_of(r, op);

	switch (op->kind) {
	case OP_STREAM_CREATE:
		TRY(device_stream_create(r->target, &stream));
		table_set(&r->streams, (size_t)op->stream, stream);
		return STATUS_OK;
	case OP_STREAM_DESTROY:
		TRY(device_stream_destroy(r->target, stream));
		table_set(&r->streams, (size_t)op->stream, NULL);
		return STATUS_OK;
	case OP_EVENT_CREATE:
		TRY(device_event_create(r->target, &event));
		table_set(&r->events, (size_t)op->object, event);
		return STATUS_OK;
	case OP_EVENT_DESTROY:
		TRY(device_event_destroy(r->target, event));
		table_set(&r->events, (size_t)op->object, NULL);
		return STATUS_OK;
	case OP_EVENT_RECORD:
		return device_event_record(r->target, event, stream);
	default:
		return device_event_wait(r->target, stream, event);
	}
}

/* --- the walk --- */

static enum status replay_op(struct replay *r, const struct event_op *op)
{
	switch (op->kind) {
	case OP_ALLOC:           return replay_alloc(r, op);
	case OP_FREE:            return replay_free(r, op);
	case OP_UPLOAD:          return replay_upload(r, op);
	case OP_RESTORE:         return op->pointers ? replay_upload_pointers(r, op)
						     : replay_upload(r, op);
	case OP_UPLOAD_POINTERS: return replay_upload_pointers(r, op);
	case OP_DOWNLOAD:        return replay_download(r, op);
	case OP_COPY:            return replay_copy(r, op);
	case OP_FILL:            return replay_fill(r, op);
	case OP_LAUNCH:          return replay_launch(r, op);
	case OP_SYNC:            return replay_sync(r, op);
	case OP_STREAM_CREATE:
	case OP_STREAM_DESTROY:
	case OP_EVENT_CREATE:
	case OP_EVENT_DESTROY:
	case OP_EVENT_RECORD:
	case OP_EVENT_WAIT:      return replay_object(r, op);
	default:
		return fail(STATUS_USAGE, "graphs cannot be replayed yet");
	}
}

enum status replay_refused(struct store *trace, const struct store_run *run)
{
	if (strcmp(run->version, PACKAGE_VERSION) != 0)
		return STATUS_USAGE;
	return fail_context(STATUS_DAMAGED, "%s is damaged", store_shown_path(trace));
}

/* Streams, graphs and kernels that this build or device does not have say nothing of the trace. */
static bool is_everywhere(const struct event_op *op)
{
	return op->kind <= OP_FILL || op->kind == OP_RESTORE
	       || (op->launch && kernel_find(op->launch->kernel));
}

/* An operation that failed when it was recorded may fail again. */
static enum status replay_checked(struct replay *r, const struct event_op *op)
{
	enum status status = replay_op(r, op);

	if (status == STATUS_USAGE && is_everywhere(op))
		return replay_refused(r->trace, &r->run);
	if (status != STATUS_DEVICE)
		return status;
	r->stopped = op->code == 0;
	return STATUS_OK;
}

static enum status replay_in_step(struct replay *r, const struct event_op *op, int64_t number)
{
	const struct step *step = r->next_step < r->step_count ? &r->steps[r->next_step] : NULL;
	bool begins = step && step->first_op == number;
	bool ends = step && step->last_op == number;

	if (begins)
		TRY(device_step_begin(r->target, step->step));
	TRY(replay_checked(r, op));
	if (op->kind != OP_RESTORE)
		r->operations++;
	if (!ends || r->stopped)
		return STATUS_OK;
	r->next_step++;
	return device_step_end(r->target);
}

static enum status replay_walk(struct replay *r, struct store_cursor *cursor)
{
	struct event_op op;
	int64_t number;
	bool end;

	while (!r->stopped) {
		enum status status;

		TRY(store_ops_next(cursor, &op, &number, &end));
		if (end)
			return STATUS_OK;
		status = replay_in_step(r, &op, number);
		if (status != STATUS_OK)
			return fail_context(status, "operation %" PRId64, number);
	}
	return STATUS_OK;
}

/* A step begins after the end of the one before. */
static enum status add_step(struct replay *r, struct step step)
{
	const struct step *before = r->step_count ? &r->steps[r->step_count - 1] : NULL;

	if (step.first_op < 0 || (before && before->last_op < 0)
	    || (before && step.first_op <= before->last_op)
	    || (step.last_op >= 0 && step.last_op < step.first_op))
		return fail(STATUS_DAMAGED, "%s: step %" PRId64 " is out of order",
			    store_shown_path(r->trace), step.step);
	r->steps = xreallocarray(r->steps, r->step_count + 1, sizeof *r->steps);
	r->steps[r->step_count++] = step;
	return STATUS_OK;
}

static enum status read_steps(struct replay *r)
{
	sqlite3 *db = store_db(r->trace);
	enum status status = STATUS_OK;
	sqlite3_stmt *rows = NULL;
	int code;

	if (sqlite3_prepare_v2(db, "SELECT step, first_op, coalesce(last_op, -1) FROM v_step"
			       " WHERE run = ?1 AND first_op <= coalesce(last_op, first_op)"
			       " ORDER BY first_op", -1,
			       &rows, NULL) != SQLITE_OK)
		return store_read_failed(r->trace);
	sqlite3_bind_int64(rows, 1, r->run.run);
	while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
		status = add_step(r, (struct step){
			sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1),
			sqlite3_column_int64(rows, 2),
		});
		if (status != STATUS_OK)
			break;
	}
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(r->trace);
	sqlite3_finalize(rows);
	return status;
}

enum status replay_run(struct store *trace, int64_t run, struct device *target, int64_t *operations,
		       bool *stopped)
{
	struct replay r = {
		.target = target, .recording = target->inner != NULL, .trace = trace,
	};
	struct store_cursor *cursor = NULL;
	enum status status;

	TRY(store_run_read(trace, run, &r.run));
	status = read_steps(&r);
	if (status == STATUS_OK)
		status = store_ops_open(trace, run, &cursor);
	if (status == STATUS_OK)
		status = replay_walk(&r, cursor);
	store_ops_close(cursor);
	store_run_free(&r.run);
	free(r.steps);
	free(r.buffers.items);
	free(r.streams.items);
	free(r.events.items);
	*operations = r.operations;
	*stopped = r.stopped;
	return status;
}
