/* solution.cu - one decode step of attention with grouped KV heads.
 *
 * Grid (kv_heads, batch), block 64; d <= 64. A block computes all query heads of one KV head, so
 * that keys and values are loaded once, however many query heads share them.
 */
#include "kernels/points.h"

#define TILE 32
#define MAX_GROUP 16
#define MAX_D 64
#define PITCH (MAX_D + 1)       /* equal columns of neighbouring keys are in different banks */

__global__ void gqa_decode(const float *q, const float *k, const float *v, const int *lengths,
			   float *out, int *refused, int heads, int kv_heads, int n, int d)
{
	__shared__ float queries[MAX_GROUP * MAX_D], keys[TILE * PITCH], scores[MAX_GROUP * TILE];
	int kv = blockIdx.x, b = blockIdx.y, t = threadIdx.x, length = lengths[b];
	int group = heads / kv_heads, first_head = kv * group;
	const float *my_keys = k + (b * kv_heads + kv) * n * d;
	const float *my_values = v + (b * kv_heads + kv) * n * d;
	float m[MAX_GROUP], sum[MAX_GROUP], acc[MAX_GROUP], column[TILE];

	if (kv == 0 && t == 0)
		refused[b] = heads % kv_heads != 0;
	if (heads % kv_heads != 0)
		return;
	for (int i = 0; i < group; i++) {
		m[i] = -INFINITY;
		sum[i] = acc[i] = 0.0f;
	}
	for (int x = t; x < group * d; x += blockDim.x)
		queries[x] = q[(b * heads + first_head) * d + x];
	for (int first = 0; first < length; first += TILE) {
		int count = min(TILE, length - first);

		for (int x = t; x < count * d; x += blockDim.x)
			keys[x / d * PITCH + x % d] = my_keys[first * d + x];
		for (int j = 0; j < count && t < d; j++)
			column[j] = my_values[(first + j) * d + t];
		__syncthreads();
		for (int x = t; x < group * TILE; x += blockDim.x) {
			int i = x / TILE, j = x % TILE;
			float score = 0.0f;

			for (int c = 0; c < d && j < count; c++)
				score += queries[i * d + c] * keys[j * PITCH + c];
			scores[x] = score / sqrtf((float)d);
		}
		__syncthreads();
		for (int i = 0; i < group; i++) {
			float m_new = m[i], alpha;

			for (int j = 0; j < count; j++)
				m_new = fmaxf(m_new, scores[i * TILE + j]);
			alpha = expf(m[i] - m_new);
			sum[i] *= alpha;
			acc[i] *= alpha;
			for (int j = 0; j < count; j++) {
				float p = expf(scores[i * TILE + j] - m_new);

				sum[i] += p;
				if (t < d)
					acc[i] += p * column[j];
			}
			m[i] = m_new;
			POINT(tile, first_head + i, m[i], sum[i], acc[i]);
		}
	}
	for (int i = 0; i < group && t < d; i++)
		out[(b * heads + first_head + i) * d + t] = length > 0 ? acc[i] / sum[i] : 0.0f;
}
