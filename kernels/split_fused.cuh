/* split_fused.cuh - a block attends to the run of splits that a plan gives it, and then merges each
 * KV head of whose partials it published the last ones: rung 10.
 *
 * Included only by flash_decode_fused.cu and its versions for other types of keys and values,
 * after they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_FUSED_CUH
#define SPLIT_FUSED_CUH

#include "kernels/split.cuh"
#include "kernels/split_source.cuh"
#include "kernels/split_merge.cuh"
#include "sim/cuda/programmatic.h"
#include "sim/cuda/ticket.h"

#ifdef SPLIT_OPTIONS
#define FUSED_LSE(in) (in)->lse
#else
#define FUSED_LSE(in) NULL
#endif

/* Takes the tickets of the splits [begin, end) of a KV head with `used` splits, which the block has
 * published. True if all partials of the KV head are published now. No other block has splits of a
 * KV head whose splits are all in this run. */
static __device__ bool fused_take(unsigned *tickets, int begin, int end, int used)
{
	unsigned count = end - begin;

	if (count < (unsigned)used) {
		if (ticket_take(tickets, count) + count != (unsigned)used)
			return false;
		*tickets = 0;
	}
	return true;
}

/* Sets complete[0] if all partials of the KV head of a run's first unit are published, and
 * complete[1] if those of the last unit's are, unless that is the same one; KV heads in between
 * have no splits in other blocks. Two lanes take tickets at once. All threads must call it. */
static __device__ void fused_tickets(const struct plan_unit *first, const struct plan_unit *last,
				     unsigned *tickets, bool complete[2])
{
	int end = PLAN_INDEX(last->place) + 1, used = PLAN_USED(first->place);

	__syncthreads();                /* all have published */
	if (threadIdx.x == 0 && threadIdx.y == 0)
		complete[0] = fused_take(tickets + first->row, PLAN_INDEX(first->place),
					 first->row == last->row ? end : used, used);
	if (threadIdx.x == 1 && threadIdx.y == 0)
		complete[1] = first->row != last->row
			&& fused_take(tickets + last->row, 0, end, PLAN_USED(last->place));
	__syncthreads();
}

/* What the merges of a launch read and write, as in struct split_launch; lse only with options. */
struct fused_launch {
	const float *partials;
	float *out, *lse;
	int G, D;
};

/* Merges the `used` splits of a KV head, in chunks of 32 vectors, of which the warp has every
 * SPLIT_WARPS-th. Returns the number of the next chunk. */
static __device__ int fused_merge_head(const struct fused_launch *in, int row, int used, int chunk)
{
	int vectors = in->D / 4, stride = in->D + 2;

	for (int first = 0; first < in->G * vectors; first += WARP) {
		int i = first + threadIdx.x;
		long long head = (long long)row * in->G + i / vectors;
		const float *partials = in->partials + head * SPLITS * stride;

		if (chunk++ % SPLIT_WARPS != (int)threadIdx.y || i >= in->G * vectors)
			continue;
		split_merge(partials, used, in->D, i % vectors, in->out + head * in->D);
#ifdef SPLIT_OPTIONS
		if (i % vectors == 0)
			in->lse[head] = split_merge_lse(partials, used, in->D);
#endif
	}
	return chunk;
}

/* Merges the KV heads of the block's units of which it has published the last partials. A function
 * with registers of its own: inlined, it takes some from the attention, which spills them. */
static __device__ __noinline__ void fused_merge(const float *partials, float *out, float *lse,
						unsigned *tickets, const int *plan, int G, int D)
{
	__shared__ bool complete[2];    /* see fused_tickets() */
	struct fused_launch in = { partials, out, lse, G, D };
	struct plan_run run = plan_run_of_block(plan, gridDim.x);
	const int4 *first = run.next - (run.count > 1), *end = first + run.count;
	struct plan_unit last;
	int chunk = 0;

	if (first == end)
		return;
	last = plan_load(end - 1);
	fused_tickets(&run.ahead, &last, tickets, complete);
	for (const int4 *at = first; at < end;) {
		struct plan_unit unit = plan_load(at);
		int used = PLAN_USED(unit.place);

		if (at == first ? complete[0] : unit.row != last.row || complete[1])
			chunk = fused_merge_head(&in, unit.row, used, chunk);
		at += max(used - PLAN_INDEX(unit.place), 1);
	}
}

INLINE_PIECE void fused_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			    float *shared)
{
	struct plan_run run = plan_run_of_block(in->plan, gridDim.x);
	struct split_source source;
	struct split s;

	split_place(&s, in, heads, shared, SOURCE_FLOATS(heads, in->D));
	split_none(&s);
	source_begin(&source, &s, in, &run, SOURCE_PLACES(heads, in->D), true, false);
	while (run.count > 0) {
		split_of_unit(&s, in, &run.ahead);
		attend(&s, &source);
		plan_go_on(&run);
		grid_wait();
		split_publish(&s, in->partials);
	}
	grid_wait();    /* without splits too: the next launch waits for the end of this one only */
	fused_merge(in->partials, in->out, FUSED_LSE(in), in->tickets, in->plan, in->H / in->Hkv,
		    in->D);
}

#endif
