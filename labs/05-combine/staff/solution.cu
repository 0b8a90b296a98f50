/* solution.cu - merges the partials of the splits of each row.
 *
 * Launch with one block per row; any number of threads. A split with part_l = 0 has no keys, and
 * its row of part_o is never read.
 */
#include "kernels/points.h"

#define MAX_SPLITS 64

__global__ void combine(const float *part_o, const float *part_m, const float *part_l,
			float *out, float *lse, int splits, int d,
			int o_row, int o_split, int ml_row, int ml_split)
{
	__shared__ float factor[MAX_SPLITS], length[MAX_SPLITS];
	int row = blockIdx.x, t = threadIdx.x;
	const float *o = part_o + row * o_row;
	float g = -INFINITY, sum = 0.0f;

	for (int s = t; s < splits; s += blockDim.x) {
		factor[s] = part_m[row * ml_row + s * ml_split];
		length[s] = part_l[row * ml_row + s * ml_split];
	}
	__syncthreads();
	for (int s = 0; s < splits; s++)
		g = fmaxf(g, factor[s]);
	__syncthreads();
	for (int s = t; s < splits; s += blockDim.x)
		factor[s] = length[s] > 0.0f ? expf(factor[s] - g) : 0.0f;
	__syncthreads();
	for (int s = 0; s < splits; s++)
		sum += factor[s] * length[s];
	for (int j = t; j < d; j += blockDim.x) {
		float acc = 0.0f;

		for (int s = 0; s < splits; s++)
			if (length[s] > 0.0f)
				acc += factor[s] * o[s * o_split + j];
		POINT(merged, sum, acc);
		out[row * d + j] = sum > 0.0f ? acc / sum : 0.0f;
	}
	if (t == 0)
		lse[row] = sum > 0.0f ? g + logf(sum) : -INFINITY;
}
