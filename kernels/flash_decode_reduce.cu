/* flash_decode_reduce.cu - the second half of flash decoding: merges the partials of each row.
 *
 * Grid (H, M), block 32. Reads partials [M, H, max_chunks, D + 2] of the chunks that hold keys,
 * ceil(seq_lens[m] / C) of them, and writes out [M, H, D]. Chunks are merged in index order whatever
 * order they were computed in: with g the greatest of the chunk maxima, each chunk counts exp(max - g)
 * times, and the sum of weights divides once at the end. No keys, or no weight at all: zeros.
 */
#include "kernels/online_softmax.cuh"

KERNEL flash_decode_reduce(const float *partials, float *out, const int *seq_lens,
			   int D, int C, int max_chunks)
{
	int H = gridDim.x;
	int head = blockIdx.x, slot = blockIdx.y;
	int lane = threadIdx.x;
	long long row = (long long)slot * H + head;
	const float *first = partials + row * max_chunks * (D + 2);
	int chunks = (seq_lens[slot] + C - 1) / C;
	float greatest = -INFINITY, sum = 0.0f;
	float acc[OWNED_MAX];

	for (int c = lane; c < chunks; c += WARP)
		greatest = fmaxf(greatest, first[(long long)c * (D + 2) + D]);
	greatest = warp_max(greatest);

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		acc[i] = 0.0f;
	/* Unrolled, and its loads without conditions, so that many are under way at once. A lane past
	 * the last element computes that one again; nobody reads it. */
#pragma unroll 8
	for (int c = 0; c < chunks; c++) {
		const float *partial = first + (long long)c * (D + 2);
		/* Equal maxima, -inf and -inf too, weigh 1: a chunk of NaN scores must stay NaN. */
		float weight = partial[D] == greatest ? 1.0f : expf(partial[D] - greatest);

		sum = fmaf(weight, partial[D + 1], sum);
#pragma unroll
		for (int i = 0; i < OWNED_MAX; i++)
			acc[i] = fmaf(weight, partial[min(lane + WARP * i, D - 1)], acc[i]);
		if (lane == 0)
			POINT(reduce, weight, sum, acc[0]);
	}

#pragma unroll
	for (int i = 0; i < OWNED_MAX; i++)
		if (lane + WARP * i < D)
			out[row * D + lane + WARP * i] = sum == 0.0f ? 0.0f : acc[i] / sum;
}
