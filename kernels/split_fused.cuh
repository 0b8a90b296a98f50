/* split_fused.cuh - a block attends to the run of splits that a plan gives it, and merges those of
 * KV heads of which it is the last one: rung 10.
 *
 * Included only by flash_decode_fused.cu and its versions for other types of keys and values,
 * after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_FUSED_CUH
#define SPLIT_FUSED_CUH

#include "kernels/split.cuh"
#include "kernels/split_ring.cuh"
#include "kernels/split_merge.cuh"
#include "sim/cuda/programmatic.h"
#include "sim/cuda/ticket.h"

/* Takes the tickets of `count` splits of a KV head with `used` splits. True if all of its partials
 * are published now. All threads of the block must call it. */
static __device__ bool is_last(unsigned *tickets, int count, int used)
{
	__shared__ bool last;

	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		last = ticket_take(tickets, count) + count == (unsigned)used;
		if (last)
			*tickets = 0;
	}
	__syncthreads();
	return last;
}

/* Merges the `used` splits of a KV head. */
static __device__ void merge_all(const struct split *s, const struct split_launch *in, int used)
{
	int vectors = s->D / 4;

	for (int i = threadIdx.x + WARP * threadIdx.y; i < s->G * vectors; i += SPLIT_THREADS) {
		long long row = s->row + i / vectors;
		const float *partials = in->partials + row * SPLITS * (s->D + 2);

		split_merge(partials, used, s->D, i % vectors, in->out + row * s->D);
#ifdef SPLIT_OPTIONS
		if (i % vectors == 0)
			in->lse[row] = split_merge_lse(partials, used, s->D);
#endif
	}
}

INLINE_PIECE void fused_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			    float *shared)
{
	__shared__ uint64_t landed[SPLIT_WARPS * RING_PLACES];
	struct plan_run run = plan_run_of_block(in->plan, gridDim.x);
	struct split_source source;
	struct split s;
	int published = 0;

	split_place(&s, in, heads, shared, SPLIT_RING_FLOATS(heads, in->D));
	split_none(&s);
	source_begin(&source, &s, in, &run, RING_PLACES_FOR(SPLIT_STAGES(heads, in->D)),
		     landed, true, false);
	while (run.count > 0) {
		struct plan_unit unit = plan_next(&run);
		int used = PLAN_USED(unit.place);

		split_of_unit(&s, in, &unit);
		attend(&s, &source);
		grid_wait();
		split_publish(&s, in->partials);
		published++;
		/* One ticket for all splits of the KV head in this run. */
		if (run.count > 0 && run.ahead.row == unit.row)
			continue;
		if (is_last(in->tickets + unit.row, published, used))
			merge_all(&s, in, used);
		published = 0;
	}
	grid_wait();    /* without splits too: the next launch waits for the end of this one only */
}

#endif
