/* solution.cu - maximum and sum of exponentials of a row by a tree in shared memory.
 *
 * Launch with one block of at most 256 threads per row, of any number of threads. Each level of the
 * tree adds the upper half of what is left to the lower half; with an odd number the middle waits.
 */
#include "kernels/points.h"

#define MAX_THREADS 256

__global__ void block_reduce(const float *x, float *m, float *l, int n)
{
	__shared__ float part[MAX_THREADS];
	int row = blockIdx.x, t = threadIdx.x, threads = blockDim.x;
	float max = -INFINITY, sum = 0.0f;

	for (int i = t; i < n; i += threads)
		max = fmaxf(max, x[row * n + i]);
	part[t] = max;
	POINT(own, max);
	__syncthreads();
	for (int left = threads; left > 1; left = (left + 1) / 2) {
		int half = (left + 1) / 2;

		if (t + half < left)
			part[t] = fmaxf(part[t], part[t + half]);
		__syncthreads();
	}
	max = part[0];
	__syncthreads();                /* all have read the maximum */

	for (int i = t; i < n; i += threads)
		sum += expf(x[row * n + i] - max);
	part[t] = sum;
	POINT(row, max, sum);
	__syncthreads();
	for (int left = threads; left > 1; left = (left + 1) / 2) {
		int half = (left + 1) / 2;

		if (t + half < left)
			part[t] += part[t + half];
		__syncthreads();
	}
	if (t == 0) {
		m[row] = max;
		l[row] = part[0];
	}
}
