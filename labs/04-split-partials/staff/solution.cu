/* solution.cu - the partial (o, m, l) of each split of each row.
 *
 * Launch with grid (splits, rows) and 64 threads; d <= 64. A split without keys never enters the
 * loop, and publishes what the loop begins with: o = 0, m = -infinity, l = 0.
 */
#include "kernels/points.h"

#define TILE 64

__global__ void split_partials(const float *q, const float *keys, const float *values,
			       const int *lengths, float *o, float *m, float *l, float scale,
			       int n, int d, int chunk, int splits)
{
	__shared__ float query[TILE], tile[TILE];
	int split = blockIdx.x, row = blockIdx.y, t = threadIdx.x;
	int partial = row * splits + split;
	int begin = split * chunk, end = min(begin + chunk, lengths[row]);
	float max = -INFINITY, sum = 0.0f, acc = 0.0f;

	if (t < d)
		query[t] = q[row * d + t];
	for (int first = begin; first < end; first += TILE) {
		int count = min(TILE, end - first);
		float max_new = max, score = 0.0f, alpha;

		__syncthreads();        /* the query is there; the last tile is no longer read */
		if (t < count) {
			for (int j = 0; j < d; j++)
				score += query[j] * keys[(row * n + first + t) * d + j];
			tile[t] = scale * score;
		}
		__syncthreads();
		for (int j = 0; j < count; j++)
			max_new = fmaxf(max_new, tile[j]);
		alpha = expf(max - max_new);
		sum = sum * alpha;
		acc = acc * alpha;
		for (int j = 0; j < count; j++) {
			float p = expf(tile[j] - max_new);

			sum += p;
			if (t < d)
				acc += p * values[(row * n + first + j) * d + t];
		}
		max = max_new;
		POINT(tile, max, alpha, sum, acc);
	}
	POINT(end, max, sum, acc);
	if (t < d)
		o[partial * d + t] = acc;
	if (t == 0) {
		m[partial] = max;
		l[partial] = sum;
	}
}
