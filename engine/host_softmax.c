/* host_softmax.c - attention on the host; see host_softmax.h.
 *
 * Uses the exponential of the GPU, and adds key by key, so that it gives the same bits beside every
 * device.
 */
#include "engine/host_softmax.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "engine/device_check.h"

#define EX2_FN static inline
#include "base/math/ex2_model.c"

/* Softmax attention of one row; weights is [n]. */
static void attend_row(const float *q, const float *k, const float *v, int n, size_t D, float scale,
		       float *weights, float *out)
{
	float max_score = -INFINITY, sum = 0.0f;

	for (int j = 0; j < n; j++) {
		float score = 0.0f;

		for (size_t d = 0; d < D; d++)
			score = fmaf(q[d], k[(size_t)j * D + d], score);
		weights[j] = score * scale;
		max_score = fmaxf(max_score, weights[j]);
	}
	for (size_t d = 0; d < D; d++)
		out[d] = 0.0f;
	for (int j = 0; j < n; j++) {
		/* As in the kernels: a key of weight 0 adds nothing. */
		float weight = weights[j] == -INFINITY ? 0.0f : ex2_expf(weights[j] - max_score);

		sum += weight;
		for (size_t d = 0; d < D; d++)
			out[d] = fmaf(weight, v[(size_t)j * D + d], out[d]);
	}
	for (size_t d = 0; d < D; d++)
		out[d] = sum == 0.0f ? 0.0f : out[d] / sum;
}

static void attend(const struct host_softmax *s)
{
	size_t D = (size_t)s->head_dim, rows = (size_t)s->keys * D;
	float *weights = xmalloc((size_t)s->keys * sizeof *weights);

	for (size_t head = 0; head < (size_t)s->heads; head++)
		attend_row(s->q + head * D, s->k + head * rows, s->v + head * rows, s->keys, D,
			   s->scale, weights, s->out + head * D);
	free(weights);
}

/* Rows of all heads in a buffer: what the first and the last head have is checked. */
static enum status check_rows(const struct device *device, const struct host_softmax *s,
			      const struct buffer *buffer, uint64_t offset)
{
	uint64_t rows = (uint64_t)s->keys * (uint64_t)s->head_dim * sizeof(float);

	TRY(check_given(buffer, "host_softmax", "buffer"));
	return check_pointer(device, buffer, offset + (uint64_t)(s->heads - 1) * s->stride + rows,
			     "host_softmax");
}

enum status device_host_softmax(struct device *device, const struct host_softmax *s)
{
	int64_t begin;

	TRY(check_op(device, true, "host_softmax"));
	if (s->heads < 1 || s->keys < 1 || s->head_dim < 1)
		return fail(STATUS_USAGE, "host_softmax: expected 1 or more heads, keys and D, got"
			    " %d, %d, %d", s->heads, s->keys, s->head_dim);
	TRY(check_rows(device, s, s->k_from, s->k_offset));
	TRY(check_rows(device, s, s->v_from, s->v_offset));
	begin = clock_ns();
	attend(s);
	return device->ops->recorder
		? device->ops->recorder->host_softmax(device, s,
						      1e-3 * (double)(clock_ns() - begin))
		: STATUS_OK;
}
