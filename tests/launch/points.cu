/* points.cu - named points in a user's kernel, the same on both devices. */
#include "kernels/points.h"

template <class T> __global__ void running(const T *x, T *sums, int n)
{
	T sum = 0;

	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		sum += x[i];
		POINT(item, x[i], i);
		POINT(score, sum, 0.5f, threadIdx.x, i);
	}
	sums[threadIdx.x] = sum;
}
