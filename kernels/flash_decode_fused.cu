/* flash_decode_fused.cu - rung 10 of the ladder: one launch, in which the last block of a KV head
 * merges its splits.
 *
 * As flash_decode_stream, and then flash_decode_merge, with the same bits: whichever block is the
 * last one, it merges in index order. A block that has published its partials takes a ticket,
 * tickets [M, Hkv]; whoever takes the last one of the KV head's sees all partials. It returns the
 * tickets, so that the next launch, or replay of a graph, begins at 0 again. Writes partials
 * [M, H, SPLITS, D + 2] and out [M, H, D]. The merge has no named points, because they would be
 * those of another block in each run.
 */
#include "kernels/split.cuh"
#include "kernels/split_ring.cuh"
#include "kernels/split_kernel.cuh"
#include "kernels/split_merge.cuh"

/* Whether all partials of the KV head are published. All threads of the block must call it. */
static __device__ bool is_last(unsigned *ticket, int used)
{
	__shared__ bool last;

	__syncthreads();
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		__threadfence();        /* what the block has written comes before its ticket */
		last = atomicAdd(ticket, 1u) == (unsigned)used - 1;
		if (last)
			*ticket = 0;
		__threadfence();        /* the tickets of others come after what they wrote */
	}
	__syncthreads();
	return last;
}

KERNEL __launch_bounds__(SPLIT_THREADS)
flash_decode_fused(const float *q, const float *k, const float *v, float *partials, float *out,
		   unsigned *tickets, const int *seq_lens, int H, int Hkv, int D, int max_len,
		   long long stride, float scale)
{
	extern __shared__ __align__(128) float shared[];
	int slot = blockIdx.y, first = threadIdx.x + WARP * threadIdx.y;
	int used = SPLITS_USED(seq_lens[slot]);
	unsigned *ticket = tickets + slot * Hkv + blockIdx.x;
	struct split s;

	split_begin(&s, q, k, v, seq_lens, H, Hkv, D, max_len, stride, scale);
	float *rows = out + s.row * D;
	if (!split_run(&s, shared, partials)) {
		if (blockIdx.z == 0)    /* no split of this sequence has keys */
			for (int i = first; i < s.G * D / 4; i += SPLIT_THREADS)
				split_merge_none(i, rows);
		return;
	}
	if (!is_last(ticket, used))
		return;
	for (int i = first; i < s.G * D / 4; i += SPLIT_THREADS) {
		int head = i / (D / 4);

		split_merge(partials + (s.row + head) * SPLITS * (D + 2), used, D, i % (D / 4),
			    rows + head * D);
	}
}
