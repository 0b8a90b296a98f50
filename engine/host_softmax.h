/* host_softmax.h - attention that the host computes, as an operation that recorders record.
 *
 * Used by the path cached, and by replay.
 */
#ifndef HOST_SOFTMAX_H
#define HOST_SOFTMAX_H

#include "engine/device.h"

/* Each query head attends to its own rows of K and V, which were downloaded before. */
struct host_softmax {
	int layer;                      /* for the trace; -1: none */
	int heads, keys, head_dim;      /* 1 or more */
	float scale;
	/* Where the rows were downloaded from: those of head 0, and bytes from one head to the
	 * next. */
	const struct buffer *k_from, *v_from;
	uint64_t k_offset, v_offset, stride;
	const float *k, *v;             /* [heads, keys, head_dim], as downloaded */
	const float *q;                 /* [heads, head_dim] */
	float *out;                     /* [heads, head_dim] */
};

/* Computes `out`. USAGE if the ranges are not in buffers of the device; else errors of a
 * recorder. */
enum status device_host_softmax(struct device *, const struct host_softmax *);

#endif
