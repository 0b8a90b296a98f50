/* kernel_partials.h - what kernels read and write that attend to the keys of a cache and publish
 * partials. Included only by kernel_flash_decode.c and kernel_split.h.
 */
#ifndef KERNEL_PARTIALS_H
#define KERNEL_PARTIALS_H

#include "kernels/kernel_entry.h"

/* Numbers of parameters. The grid is (., M, splits). */
struct partials_params {
	int q, k, v, partials, seq_lens, D, max_len, stride;
	unsigned element;               /* bytes of one of keys and values */
};

/* Partials [M, heads, splits, D + 2]. Accumulators of an empty split keep their old values, which
 * are equal on all devices. */
static inline void partials_written(const struct kernel_call *call, const struct partials_params *p,
				    uint64_t heads, kernel_extent_fn *extent, void *context)
{
	uint64_t partials = heads * call->grid.y * call->grid.z;

	extent(context, p->partials, 0, partials * (value_of(call, p->D) + 2) * sizeof(float));
}

/* q [M, heads, D], the lengths, and the keys of each sequence in caches [M at stride, kv_heads,
 * max_len, D]. */
static inline void keys_read(const struct kernel_call *call, const struct partials_params *p,
			     uint64_t heads, uint64_t kv_heads, kernel_extent_fn *extent,
			     void *context)
{
	uint64_t row = value_of(call, p->D) * p->element;
	uint64_t head = value_of(call, p->max_len) * row;
	uint64_t slot = value_of(call, p->stride) * p->element;

	extent(context, p->q, 0, heads * call->grid.y * value_of(call, p->D) * sizeof(float));
	extent(context, p->seq_lens, 0, call->grid.y * sizeof(int32_t));
	for (unsigned m = 0; m < call->grid.y; m++) {
		uint64_t keys = length_at(call, p->seq_lens, m);

		for (uint64_t h = 0; keys > 0 && h < kv_heads; h++) {
			extent(context, p->k, m * slot + h * head, keys * row);
			extent(context, p->v, m * slot + h * head, keys * row);
		}
	}
}

#endif
