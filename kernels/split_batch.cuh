/* split_batch.cuh - plans which block attends to which splits of a batch.
 *
 * Included only by flash_decode_plan.cu and flash_decode_plan_options.cu. The grid is (M), the
 * block (PLAN_THREADS); split_plan.cuh says what a plan is. Each block of the launch that is
 * planned gets units one after another that cost about as much as those of any other: a unit
 * belongs to block floor(c * blocks / total), where c is what all units before it cost. Sums are
 * integers, so their order does not matter. With a window, a sequence has the keys that its query
 * sees.
 */
#ifndef SPLIT_BATCH_CUH
#define SPLIT_BATCH_CUH

#include "kernels/split_plan.cuh"

struct batch {
	const int *seq_lens;            /* [M] */
	int Hkv;
	int window, sinks;              /* window 0: none */
};

struct batch_part {
	unsigned long long cost, units; /* of all sequences before this one */
	unsigned long long total, all;  /* of all sequences */
};

/* Keys that a sequence attends to. */
static __device__ int batch_keys(const struct batch *b, int slot)
{
	int keys = max(b->seq_lens[slot], 0);

	return keys - SPLIT_GAP(keys, b->window, b->sinks);
}

/* What the units of a sequence cost, for all KV heads. */
static __device__ long long sequence_cost(int keys, int Hkv)
{
	return Hkv * (keys + (long long)PLAN_UNITS(keys) * PLAN_OVERHEAD);
}

/* Sums over the batch. All threads of the block must call it. */
static __device__ void add_up(const struct batch *b, struct batch_part *sums)
{
	int slot = blockIdx.x;

	if (threadIdx.x == 0)
		sums->cost = sums->units = sums->total = sums->all = 0;
	__syncthreads();
	for (int m = threadIdx.x; m < (int)gridDim.x; m += PLAN_THREADS) {
		int keys = batch_keys(b, m);
		unsigned long long cost = sequence_cost(keys, b->Hkv);
		unsigned long long units = (unsigned long long)b->Hkv * PLAN_UNITS(keys);

		atomicAdd(&sums->total, cost);
		atomicAdd(&sums->all, units);
		if (m < slot) {
			atomicAdd(&sums->cost, cost);
			atomicAdd(&sums->units, units);
		}
	}
	__syncthreads();
}

/* What the unit before the first one of this sequence costs; there is one if slot > 0. */
static __device__ long long cost_before(const struct batch *b, int slot)
{
	int keys = batch_keys(b, slot - 1);

	return PLAN_COST(keys - (PLAN_UNITS(keys) - 1) * SPLIT_KEYS(keys));
}

/* The run of block `b` begins with a unit. */
static __device__ void plan_begin(int *plan, int b, int number, int4 unit)
{
	((int4 *)plan)[b * (PLAN_HEAD / 4)] = make_int4(number, 0, 0, 0);
	((int4 *)plan)[b * (PLAN_HEAD / 4) + 1] = unit;
}

/* Writes the plan for a grid of `blocks` blocks. All threads of the grid must call it. */
static __device__ void batch_plan(const struct batch *b, int *plan, int blocks)
{
	__shared__ struct batch_part sums;
	int slot = blockIdx.x, keys = batch_keys(b, slot), Hkv = b->Hkv;
	int used = PLAN_UNITS(keys), each = (int)SPLIT_KEYS(keys);
	long long full = PLAN_COST(each);
	int4 *units = (int4 *)(plan + PLAN_HEADS(blocks));

	add_up(b, &sums);
	for (int i = threadIdx.x; i < Hkv * used; i += PLAN_THREADS) {
		int head = i / used, index = i % used, begin = index * each;
		int unit = (int)sums.units + i;
		long long cost = (long long)sums.cost + head * (sequence_cost(keys, Hkv) / Hkv)
			+ index * full;
		long long before = index > 0 ? full
			: head > 0 ? PLAN_COST(keys - (used - 1) * each)
			: slot > 0 ? cost_before(b, slot) : 0;
		int block = (int)(cost * blocks / (long long)sums.total);
		int earlier = unit > 0 ? (int)((cost - before) * blocks / (long long)sums.total)
			: -1;

		int4 all = make_int4(slot * Hkv + head, PLAN_PLACE(index, used), begin,
				     min(begin + each, keys));

		units[unit] = all;
		for (int n = earlier + 1; n <= block; n++)
			plan_begin(plan, n, unit, all);
		if (unit == (int)sums.all - 1)
			for (int n = block + 1; n <= blocks; n++)
				plan_begin(plan, n, unit + 1, make_int4(0, 0, 0, 0));
	}
}

#endif
