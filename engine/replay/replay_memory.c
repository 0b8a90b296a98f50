/* replay_memory.c - replays allocations, uploads, downloads, copies and fills; see replay_memory.h.
 */
#include "engine/replay/replay_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "engine/record/recorder.h"
#include "engine/replay/replay_host.h"
#include "engine/replay/replay_state.h"

static enum status spec_of(const struct row_buffer *alloc, struct buffer_spec *out)
{
	*out = (struct buffer_spec){
		.name = alloc->name, .dtype = alloc->dtype, .rank = alloc->rank,
	};
	if (alloc->rank > MAX_RANK)
		return fail(STATUS_DAMAGED, "buffer %s has rank %d, the maximum is %d",
			    alloc->name, alloc->rank, MAX_RANK);
	for (int i = 0; i < alloc->rank; i++)
		out->shape[i] = alloc->shape[i];
	return STATUS_OK;
}

enum status replay_alloc(struct replay *r, const struct row_op *op)
{
	struct buffer_spec spec;
	struct buffer *buffer;

	TRY(spec_of(op->alloc, &spec));
	TRY(device_alloc(r->target, &spec, &buffer));
	table_set(&r->buffers, op->alloc->id, buffer);
	return STATUS_OK;
}

enum status replay_variable(struct replay *r, const struct row_op *op)
{
	const struct kernel_variable *found = kernel_find_variable(op->alloc->name);
	struct buffer_spec spec;
	struct buffer *buffer;

	TRY(spec_of(op->alloc, &spec));
	if (!found || found->bytes != op->alloc->bytes)
		return fail(STATUS_DAMAGED, "its kernels have no device variable %s of %" PRIu64
			    " bytes", op->alloc->name, op->alloc->bytes);
	TRY(device_alloc_variable(r->target, &spec, found, &buffer));
	table_set(&r->buffers, op->alloc->id, buffer);
	return STATUS_OK;
}

enum status replay_free(struct replay *r, const struct row_op *op)
{
	TRY(device_free(r->target, buffer_of(r, op->buffer)));
	table_set(&r->buffers, op->buffer, NULL);
	return STATUS_OK;
}

enum status replay_heap(struct replay *r, const struct row_op *op)
{
	return device_set_heap(r->target, op->bytes, op->pattern != 0);
}

/* Waits for all work of the target first. */
static enum status replay_restore(struct replay *r, const struct row_op *op)
{
	struct buffer *buffer = buffer_of(r, op->buffer);

	if (r->recording)
		return recorder_restore(r->target, buffer, op->offset, op->data, op->bytes);
	TRY(device_sync(r->target, NULL));
	return device_upload(r->target, NULL, buffer, op->offset, op->data, op->bytes);
}

enum status replay_upload(struct replay *r, const struct row_op *op)
{
	struct buffer *buffer = buffer_of(r, op->buffer);

	if (!op->data && op->bytes)
		return fail(STATUS_DAMAGED,
			    "the %" PRIu64 " bytes of an upload are not in the trace", op->bytes);
	if (op->kind == OP_RESTORE)
		return replay_restore(r, op);
	if (op->kind == OP_UPLOAD_ASYNC)
		return device_upload_async(r->target, stream_of(r, op), buffer, op->offset,
					   replay_keep(r, op->data, op->bytes), op->bytes);
	return device_upload(r->target, stream_of(r, op), buffer, op->offset, op->data, op->bytes);
}

enum status replay_upload_pointers(struct replay *r, const struct row_op *op)
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

enum status replay_download(struct replay *r, const struct row_op *op)
{
	struct buffer *buffer = buffer_of(r, op->buffer);
	enum status status;
	void *bytes;

	/* The size comes from the file and must not exceed the buffer. */
	if (buffer && op->bytes > buffer->bytes)
		return fail(STATUS_DAMAGED,
			    "a download of %" PRIu64 " bytes from %s, which has %zu",
			    op->bytes, buffer->name, buffer->bytes);
	if (op->kind == OP_DOWNLOAD_ASYNC)
		return device_download_async(r->target, stream_of(r, op), buffer, op->offset,
					     replay_keep(r, NULL, op->bytes), op->bytes);
	bytes = xmalloc(op->bytes);
	status = device_download(r->target, stream_of(r, op), buffer, op->offset, bytes, op->bytes);
	if (status == STATUS_OK)
		replay_host_fetched(r, op, bytes);
	else
		free(bytes);
	return status;
}

enum status replay_copy(struct replay *r, const struct row_op *op)
{
	return device_copy(r->target, stream_of(r, op), buffer_of(r, op->buffer), op->offset,
			   buffer_of(r, op->from_buffer), op->from_offset, op->bytes);
}

enum status replay_fill(struct replay *r, const struct row_op *op)
{
	return device_fill(r->target, stream_of(r, op), buffer_of(r, op->buffer), op->offset,
			   op->pattern, op->bytes / sizeof op->pattern);
}
