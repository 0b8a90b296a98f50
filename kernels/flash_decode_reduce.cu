/* flash_decode_reduce.cu - the second half of flash decoding: merges the partials of each row.
 *
 * Grid (H, M), block 32. Reads partials [M, H, max_chunks, D + 2] of the ceil(seq_lens[m] / C)
 * chunks that have keys, and writes out [M, H, D]. Chunks are merged in index order, whatever order
 * they were computed in. With g the maximum of all chunks, each chunk is multiplied by
 * exp(max - g). At the end the result is divided by the sum of weights, or set to 0 if that is 0.
 *
 * One warp walks through all chunks of a row, so memory latency dominates: each lane computes the
 * factor of one of 32 chunks, and many rows of accumulators are loaded before the first is used.
 *
 * Unlike the models: an empty chunk has the maximum -inf, not -FLT_MAX, and is skipped by a guard;
 * and the division is IEEE.
 */
#include "kernels/online_softmax.cuh"

/* ROWS must divide WARP; ROWS * OWNED registers hold the values that are loaded at once. */
#define OWNED 2
#define ROWS AT_ONCE(32)
#define MERGE_CHUNKS merge_chunks_64
#include "kernels/merge_chunks.cuh"

#define OWNED 4
#define ROWS AT_ONCE(32)
#define MERGE_CHUNKS merge_chunks_128
#include "kernels/merge_chunks.cuh"

#define OWNED 8
#define ROWS AT_ONCE(16)
#define MERGE_CHUNKS merge_chunks_256
#include "kernels/merge_chunks.cuh"

KERNEL flash_decode_reduce(const float *partials, float *out, const int *seq_lens,
			   int D, int C, int max_chunks)
{
	__shared__ float weights[WARP], sums[WARP];
	int H = gridDim.x;
	int head = blockIdx.x, slot = blockIdx.y;
	int lane = threadIdx.x;
	long long row = (long long)slot * H + head;
	const float *first = partials + row * max_chunks * (D + 2);
	int chunks = (seq_lens[slot] + C - 1) / C;
	float row_max = -INFINITY;

#pragma unroll 8        /* loads 8 maxima at once */
	for (int c = lane; c < chunks; c += WARP)
		row_max = fmaxf(row_max, first[(long long)c * (D + 2) + D]);
	row_max = warp_max(row_max);

	if (D <= 64)
		merge_chunks_64(first, chunks, D, row_max, out + row * D, weights, sums);
	else if (D <= 128)
		merge_chunks_128(first, chunks, D, row_max, out + row * D, weights, sums);
	else
		merge_chunks_256(first, chunks, D, row_max, out + row * D, weights, sums);
}
