/* flash_decode_fused.cu - rung 10 of the ladder: one launch, in which the last block of a KV head
 * merges its splits, and which begins while the launch before it ends.
 *
 * As flash_decode_planned, and then flash_decode_merge, with the same bits: whichever block is the
 * last one, it merges in index order. A block that has published the partials of a split takes a
 * ticket of its KV head, tickets [M, Hkv]; whoever takes the last one sees all partials. It returns
 * the tickets, so that the next launch, or replay of a graph, begins at 0 again. Writes partials
 * [M, H, SPLITS, D + 2] and out [M, H, D]. The merge has no named points, because they would be
 * those of another block in each run.
 *
 * Copies begin before the launch before has ended (sim/cuda/programmatic.h), except those of the
 * last keys of a sequence, which it may be writing. All other keys, and the plan, must be complete
 * before it begins.
 */
#include "kernels/split.cuh"
#include "kernels/split_ring.cuh"
#include "kernels/split_kernel.cuh"
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
static __device__ void merge_all(const struct split *s, const float *partials, int used, float *out)
{
	int vectors = s->D / 4;

	for (int i = threadIdx.x + WARP * threadIdx.y; i < s->G * vectors; i += SPLIT_THREADS) {
		long long row = s->row + i / vectors;

		split_merge(partials + row * SPLITS * (s->D + 2), used, s->D, i % vectors,
			    out + row * s->D);
	}
}

INLINE_PIECE void fused_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			    float *shared)
{
	__shared__ uint64_t landed[SPLIT_WARPS * SPLIT_MAX_STAGES];
	struct plan_run run = plan_run_of_block(in->plan, gridDim.x);
	struct split_source source;
	struct split s;
	int filled, published = 0;

	split_place(&s, in, heads, shared, SPLIT_RING_FLOATS(heads, in->D));
	split_none(&s);
	source_begin(&source, &s, in, &run, landed);
	filled = source_fill(&source, 0, false, in->D);
	grid_wait();
	source_fill(&source, filled, true, in->D);
	__syncwarp();
	while (run.count > 0) {
		struct plan_unit unit = plan_next(&run);
		int used = PLAN_USED(unit.place);

		split_of_unit(&s, in, &unit);
		attend(&s, &source);
		split_publish(&s, in->partials);
		published++;
		/* One ticket for all splits of the KV head in this run. */
		if (run.count > 0 && run.ahead.row == unit.row)
			continue;
		if (is_last(in->tickets + unit.row, published, used))
			merge_all(&s, in->partials, used, in->out);
		published = 0;
	}
}

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_fused(const float *q, const float *k, const float *v, float *partials, float *out,
		   unsigned *tickets, const int *plan, int H, int Hkv, int D, int max_len,
		   long long stride, float scale)
{
	extern __shared__ __align__(128) float shared[];
	struct split_launch in = {
		.q = q, .k = k, .v = v, .partials = partials, .out = out, .plan = plan,
		.tickets = tickets,
		.H = H, .Hkv = Hkv, .D = D, .max_len = max_len, .stride = stride, .scale = scale,
	};

	grid_let_next();
	SPLIT_DISPATCH(fused_run, &in);
}
