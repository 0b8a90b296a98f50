/* flash_decode_reduce.cu - the second half of flash decoding: merges the partials of each row.
 *
 * Grid (H, M), block 32. Reads partials [M, H, max_chunks, D + 2] of the chunks that hold keys,
 * ceil(seq_lens[m] / C) of them, and writes out [M, H, D]. Chunks are merged in index order whatever
 * order they were computed in: with g the greatest of the chunk maxima, each chunk counts exp(max - g)
 * times, and the sum of weights divides once at the end. No keys, or no weight at all: zeros.
 *
 * One warp walks through all chunks of a row, so time goes by in waiting for memory: lanes weigh 32
 * chunks side by side, and the loads of many rows of accumulators are under way before the first is used.
 */
#include "kernels/online_softmax.cuh"

/* ROWS divides WARP; ROWS * OWNED registers hold what is loaded at once. */
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
	float greatest = -INFINITY;

#pragma unroll 8        /* as many maxima are loaded at once */
	for (int c = lane; c < chunks; c += WARP)
		greatest = fmaxf(greatest, first[(long long)c * (D + 2) + D]);
	greatest = warp_max(greatest);

	if (D <= 64)
		merge_chunks_64(first, chunks, D, greatest, out + row * D, weights, sums);
	else if (D <= 128)
		merge_chunks_128(first, chunks, D, greatest, out + row * D, weights, sums);
	else
		merge_chunks_256(first, chunks, D, greatest, out + row * D, weights, sums);
}
