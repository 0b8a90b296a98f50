/* attention_incremental_multiwarp.cuh - four warps attend to the keys of one query head.
 *
 * Used by the kernel that gets its length by value and the one that reads it from device memory.
 * Each warp attends to a contiguous slice of ceil(n / 4) keys; the last may be shorter or empty.
 */
#ifndef ATTENTION_INCREMENTAL_MULTIWARP_CUH
#define ATTENTION_INCREMENTAL_MULTIWARP_CUH

#include "kernels/attention_incremental.cuh"
#include "kernels/merge_warps.cuh"

#define SLICES 4

/* Block 128. merged: SLICES * (D + 2) floats of shared memory. */
static __device__ void attend_slices(const float *q, const float *k, const float *v, float *out,
				     int n, int D, float scale, float *query, float *merged,
				     float *weights)
{
	int warp = threadIdx.x / WARP;
	int slice = (n + SLICES - 1) / SLICES;
	int begin = min(warp * slice, n), end = min(begin + slice, n);
	struct softmax_state state;

	for (int d = threadIdx.x; d < D; d += SLICES * WARP)
		query[d] = q[d];
	__syncthreads();
	if (begin < end)
		attend_keys(&state, k, v, begin, end, D, scale, query, weights + warp * WARP);
	else
		clear_state(&state);
	merge_warps(&state, warp, SLICES, D, merged);
	if (warp == 0)
		write_row(&state, out, D);
}

#endif
