/* solution.cu - attention of one row of scores in one pass, with a running maximum and sum.
 *
 * Launch with one block of 64 threads per row; d <= 64. Thread t computes out[row, t].
 */
#include "kernels/points.h"

#define TILE 64

__global__ void online_softmax(const float *scores, const float *values, const int *lengths,
			       float *out, float *max_out, float *sum_out, int n, int d)
{
	__shared__ float tile[TILE];
	int row = blockIdx.x, t = threadIdx.x, length = lengths[row];
	float m = -INFINITY, sum = 0.0f, acc = 0.0f;

	for (int first = 0; first < length; first += TILE) {
		int count = min(TILE, length - first);
		float m_new = m, alpha;

		if (t < count)
			tile[t] = scores[row * n + first + t];
		__syncthreads();
		for (int j = 0; j < count; j++)
			m_new = fmaxf(m_new, tile[j]);
		alpha = expf(m - m_new);
		sum = sum * alpha;
		acc = acc * alpha;
		for (int j = 0; j < count; j++) {
			float p = expf(tile[j] - m_new);

			sum += p;
			if (t < d)
				acc += p * values[(row * n + first + j) * d + t];
		}
		m = m_new;
		POINT(tile, m, alpha, sum, acc);
		__syncthreads();
	}
	if (t < d)
		out[row * d + t] = length > 0 ? acc / sum : 0.0f;
	if (t == 0) {
		max_out[row] = m;
		sum_out[row] = sum;
	}
}
