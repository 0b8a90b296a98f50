/* solution.cu - appends to a paged KV cache, and attends over it.
 *
 * kv_append: grid (heads, slots), block d. paged_attend: grid (heads, slots), block 64; d <= 64.
 */
#include "kernels/points.h"

#define MAX_KEYS 128
#define MAX_D 64

/* The row of the pools that holds a position of a slot, or -1 if the slot has no page for it. */
static __device__ int row_of(const int *table, int slot, int position, int page, int max_pages)
{
	int logical = position / page, physical;

	if (logical >= max_pages)
		return -1;
	physical = table[slot * max_pages + logical];
	return physical < 0 ? -1 : physical * page + position % page;
}

__global__ void kv_append(const float *k_new, const float *v_new, const int *start,
			  const int *table, const int *refs, float *k_pool, float *v_pool,
			  int *refused, int t, int slots, int heads, int d, int page, int max_pages)
{
	int head = blockIdx.x, slot = blockIdx.y, c = threadIdx.x;
	int from = ((t * slots + slot) * heads + head) * d + c, row, to;

	if (start[slot] < 0)
		return;
	row = row_of(table, slot, start[slot] + t, page, max_pages);
	if (row < 0 || refs[row / page] > 1) {
		if (head == 0 && c == 0)
			refused[slot] = 1;
		return;
	}
	to = (row * heads + head) * d + c;
	POINT(append, start[slot], t, to);
	k_pool[to] = k_new[from];
	v_pool[to] = v_new[from];
}

__global__ void paged_attend(const float *q, const float *k_pool, const float *v_pool,
			     const int *start, const int *table, const int *refused, float *out,
			     int steps, int heads, int d, int page, int max_pages)
{
	__shared__ float query[MAX_D], scores[MAX_KEYS];
	__shared__ int rows[MAX_KEYS];
	int head = blockIdx.x, slot = blockIdx.y, c = threadIdx.x;
	int length = start[slot] + steps;
	float max = -INFINITY, sum = 0.0f, acc = 0.0f;

	if (start[slot] < 0 || refused[slot]) {
		if (c < d)
			out[(slot * heads + head) * d + c] = 0.0f;
		return;
	}
	if (c < d)
		query[c] = q[(slot * heads + head) * d + c];
	__syncthreads();
	for (int i = c; i < length; i += blockDim.x) {
		float score = 0.0f;

		rows[i] = row_of(table, slot, i, page, max_pages) * heads + head;
		for (int j = 0; j < d; j++)
			score += query[j] * k_pool[rows[i] * d + j];
		scores[i] = score / sqrtf((float)d);
	}
	__syncthreads();
	for (int i = 0; i < length; i++)
		max = fmaxf(max, scores[i]);
	for (int i = 0; i < length; i++) {
		float p = expf(scores[i] - max);

		sum += p;
		if (c < d)
			acc += p * v_pool[rows[i] * d + c];
	}
	POINT(attend, length, max, sum, acc);
	if (c < d)
		out[(slot * heads + head) * d + c] = acc / sum;
}
