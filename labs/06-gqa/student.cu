/* student.cu - lab 6, grouped-query attention. Read README.md first.
 *
 * Grid (kv_heads, batch), block 64; d <= 64. This kernel is right if heads == kv_heads: each block
 * computes query head `kv`, the only one of KV head `kv`. Search for TODO.
 */
#include "kernels/points.h"

#define TILE 32
#define MAX_GROUP 16            /* query heads of one KV head, at most */
#define MAX_D 64
#define PITCH (MAX_D + 1)       /* equal columns of neighbouring keys are in different banks */

__global__ void gqa_decode(const float *q, const float *k, const float *v, const int *lengths,
			   float *out, int *refused, int heads, int kv_heads, int n, int d)
{
	/* TODO: a query and a row of scores for each query head of the group. */
	__shared__ float query[MAX_D], keys[TILE * PITCH], scores[TILE];
	int kv = blockIdx.x, b = blockIdx.y, t = threadIdx.x, length = lengths[b];
	const float *my_keys = k + (b * kv_heads + kv) * n * d;
	const float *my_values = v + (b * kv_heads + kv) * n * d;
	float m = -INFINITY, sum = 0.0f, acc = 0.0f;    /* TODO: for each query head */
	float column[TILE];

	/* TODO: the guard. */
	if (kv == 0 && t == 0)
		refused[b] = 0;
	/* TODO: the query heads of KV head kv, not head kv. */
	for (int x = t; x < d; x += blockDim.x)
		query[x] = q[(b * heads + kv) * d + x];
	for (int first = 0; first < length; first += TILE) {
		int count = min(TILE, length - first);
		float m_new = m, alpha;

		for (int x = t; x < count * d; x += blockDim.x)
			keys[x / d * PITCH + x % d] = my_keys[first * d + x];
		for (int j = 0; j < count && t < d; j++)
			column[j] = my_values[(first + j) * d + t];
		__syncthreads();
		/* TODO: scores of all query heads: which thread computes which? */
		if (t < count) {
			float score = 0.0f;

			for (int c = 0; c < d; c++)
				score += query[c] * keys[t * PITCH + c];
			scores[t] = score / sqrtf((float)d);
		}
		__syncthreads();
		/* TODO: the online softmax of lab 3, for each query head. */
		for (int j = 0; j < count; j++)
			m_new = fmaxf(m_new, scores[j]);
		alpha = expf(m - m_new);
		sum *= alpha;
		acc *= alpha;
		for (int j = 0; j < count; j++) {
			float p = expf(scores[j] - m_new);

			sum += p;
			if (t < d)
				acc += p * column[j];
		}
		m = m_new;
		POINT(tile, kv, m, sum, acc);   /* recorded when a case fails: see `view` */
	}
	if (t < d)
		out[(b * heads + kv) * d + t] = length > 0 ? acc / sum : 0.0f;
}
