/* recorder_host.c - records what the host computed from downloaded bytes; see recorder_host.h.
 *
 * The row has everything that a replay needs beside the downloads: where they came from, and q. As
 * bytes from the host, q and the output are recorded at every level.
 */
#include "engine/record/recorder_host.h"

#include <string.h>

#include "engine/host_softmax.h"
#include "engine/record/recorder_note.h"
#include "engine/record/recorder_state.h"
#include "engine/record/shadow.h"

enum status recorder_host_softmax(struct device *device, const struct host_softmax *s, double us)
{
	struct recorder *r = recorder_of(device);
	struct row_softmax softmax = {
		.layer = s->layer, .heads = s->heads, .keys = s->keys, .head_dim = s->head_dim,
		.k_buffer = shadow_id(r, s->k_from), .k_offset = s->k_offset,
		.v_buffer = shadow_id(r, s->v_from), .v_offset = s->v_offset,
		.stride = s->stride, .q = s->q,
	};
	struct row_op op = OP(OP_HOST_SOFTMAX, .data = s->out, .softmax = &softmax,
			      .bytes = (uint64_t)s->heads * (uint64_t)s->head_dim * sizeof *s->q);
	int64_t number;

	memcpy(&softmax.scale_bits, &s->scale, sizeof softmax.scale_bits);
	/* The simulator's launches have no times to compare it with. */
	if (!r->observed)
		op.duration_us = us;
	return recorder_note(r, &op, STATUS_OK, &number);
}
