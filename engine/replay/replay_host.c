/* replay_host.c - replays what the host computed from downloaded bytes; see replay_host.h.
 *
 * It is computed again, from the bytes that the replay itself downloaded. A comparison of the two
 * runs then compares the results.
 */
#include "engine/replay/replay_host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "engine/host_softmax.h"
#include "engine/replay/replay_state.h"

/* Kept bytes. What the host computes is small, so that more are of other downloads. */
#define FETCHED_MAX ((uint64_t)1 << 28)

void replay_host_forget(struct replay *r)
{
	while (r->fetched_count)
		free(r->fetched[--r->fetched_count].memory);
	free(r->fetched);
	r->fetched = NULL;
	r->fetched_bytes = 0;
}

void replay_host_fetched(struct replay *r, const struct row_op *op, void *memory)
{
	if (op->bytes > FETCHED_MAX - r->fetched_bytes)
		replay_host_forget(r);
	if (op->bytes > FETCHED_MAX) {
		free(memory);
		return;
	}
	r->fetched = xreallocarray(r->fetched, r->fetched_count + 1, sizeof *r->fetched);
	r->fetched[r->fetched_count++] = (struct fetched){ op->buffer, op->offset, op->bytes,
							   memory };
	r->fetched_bytes += op->bytes;
}

/* Copies the rows of every head, each from a download of its own. */
static enum status gather(const struct replay *r, const struct row_softmax *e, uint32_t buffer,
			  uint64_t offset, float *out)
{
	uint64_t bytes = (uint64_t)e->keys * (uint64_t)e->head_dim * sizeof *out;

	for (int head = 0; head < e->heads; head++, offset += e->stride) {
		const struct fetched *f = r->fetched + r->fetched_count;

		while (f > r->fetched && (f[-1].buffer != buffer || f[-1].offset != offset
					  || f[-1].bytes != bytes))
			f--;
		if (f == r->fetched)
			return fail(STATUS_DAMAGED, "host_softmax reads %" PRIu64 " bytes at offset"
				    " %" PRIu64 " of buffer %" PRIu32 ", which no download before"
				    " it fetched", bytes, offset, buffer);
		memcpy(out + (uint64_t)head * (bytes / sizeof *out), f[-1].memory, bytes);
	}
	return STATUS_OK;
}

enum status replay_host_softmax(struct replay *r, const struct row_op *op)
{
	const struct row_softmax *e = op->softmax;
	/* Not more than the buffer, whose range was checked. */
	size_t bytes = (size_t)e->heads * (size_t)e->keys * (size_t)e->head_dim * sizeof(float);
	float *k = xmalloc(bytes), *v = xmalloc(bytes), *out = xmalloc(op->bytes);
	struct host_softmax softmax = {
		.layer = e->layer, .heads = e->heads, .keys = e->keys, .head_dim = e->head_dim,
		.k_from = buffer_of(r, e->k_buffer), .k_offset = e->k_offset,
		.v_from = buffer_of(r, e->v_buffer), .v_offset = e->v_offset, .stride = e->stride,
		.k = k, .v = v, .q = e->q, .out = out,
	};
	enum status status = gather(r, e, e->k_buffer, e->k_offset, k);

	memcpy(&softmax.scale, &e->scale_bits, sizeof softmax.scale);
	if (status == STATUS_OK)
		status = gather(r, e, e->v_buffer, e->v_offset, v);
	if (status == STATUS_OK)
		status = device_host_softmax(r->target, &softmax);
	free(k);
	free(v);
	free(out);
	return status;
}
