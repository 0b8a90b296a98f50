/* split.cu - reductions over chunks; the one with the bug reads accumulators of empty chunks.
 * Grid (rows), block (32); partials as in flash_decode_reduce, with D = 4.
 */
#include "kernels/kernel.h"

KERNEL split_reduce(const float *partials, float *out, const int *seq_lens, int D, int C,
		    int max_chunks)
{
	float sum = 0.0f, acc = 0.0f;

	if ((int)threadIdx.x >= D)
		return;
	for (int c = 0; c < max_chunks; c++) {
		const float *p = partials + (blockIdx.x * max_chunks + c) * (D + 2);

		acc += p[threadIdx.x] * (p[D + 1] > 0.0f);      /* BUG */
		sum += p[D + 1];
	}
	out[blockIdx.x * D + threadIdx.x] = acc / sum;
}
KERNEL split_reduce_clean(const float *partials, float *out, const int *seq_lens, int D, int C,
			  int max_chunks)
{
	float sum = 0.0f, acc = 0.0f;

	if ((int)threadIdx.x >= D)
		return;
	for (int c = 0; c < max_chunks; c++) {
		const float *p = partials + (blockIdx.x * max_chunks + c) * (D + 2);

		if (p[D + 1] > 0.0f)
			acc += p[threadIdx.x];
		sum += p[D + 1];
	}
	out[blockIdx.x * D + threadIdx.x] = acc / sum;
}
