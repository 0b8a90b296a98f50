/* student.cu - lab 7, a paged KV cache. Read README.md first.
 *
 * kv_append: grid (heads, slots), block d; launched once for each t. paged_attend: grid
 * (heads, slots), block 64; d <= 64; launched once at the end.
 */
#include "kernels/points.h"

#define MAX_KEYS 128
#define MAX_D 64

/* The row of the pools that holds a position of a slot, or -1 if the slot has no page for it. A
 * page has `page` rows; row r of page p is row p * page + r. */
static __device__ int row_of(const int *table, int slot, int position, int page, int max_pages)
{
	return position;        /* TODO: the block table says where the page is, if there is one. */
}

/* Appends position start[slot] + t of each slot. */
__global__ void kv_append(const float *k_new, const float *v_new, const int *start,
			  const int *table, const int *refs, float *k_pool, float *v_pool,
			  int *refused, int t, int slots, int heads, int d, int page, int max_pages)
{
	int head = blockIdx.x, slot = blockIdx.y, c = threadIdx.x;
	int from = ((t * slots + slot) * heads + head) * d + c;
	int to = (slot * heads + head) * d + c; /* TODO: the row of this position. */

	POINT(append, start[slot], t, to);      /* keep `to`: `view` finds the thread by it */
	/* TODO: what if the slot has finished? If it has no page? If it shares the page? */
	k_pool[to] = k_new[from];
	v_pool[to] = v_new[from];
}

/* Attends over all positions of each slot, the appended ones included. */
__global__ void paged_attend(const float *q, const float *k_pool, const float *v_pool,
			     const int *start, const int *table, const int *refused, float *out,
			     int steps, int heads, int d, int page, int max_pages)
{
	__shared__ float query[MAX_D], scores[MAX_KEYS];
	__shared__ int rows[MAX_KEYS];  /* where each position is, so that it is looked up once */
	int head = blockIdx.x, slot = blockIdx.y, c = threadIdx.x;
	int length = 1;         /* TODO */
	float max = -INFINITY, sum = 0.0f, acc = 0.0f;

	/* TODO: slots that have finished, and slots that were refused: out is 0. */
	if (c < d)
		query[c] = q[(slot * heads + head) * d + c];
	__syncthreads();
	for (int i = c; i < length; i += blockDim.x) {
		float score = 0.0f;

		rows[i] = i;    /* TODO: K of this position and head begins at rows[i] * d */
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
