/* student.cu - lab 4, partials of splits. Read README.md first.
 *
 * Block (split, row) of 64 threads attends with q[row] to the keys split * chunk to
 * split * chunk + chunk - 1, as far as the row has them, and publishes one partial:
 * o[row, split, t] for t < d, m[row, split] and l[row, split]. d is at most 64; chunk is anything.
 */
#include "kernels/points.h"

#define TILE 64

__global__ void split_partials(const float *q, const float *keys, const float *values,
			       const int *lengths, float *o, float *m, float *l, float scale,
			       int n, int d, int chunk, int splits)
{
	__shared__ float query[TILE], tile[TILE];
	int split = blockIdx.x, row = blockIdx.y, t = threadIdx.x;
	int partial = row * splits + split;     /* where the results of this block go */
	float max = -INFINITY, sum = 0.0f, acc = 0.0f;

	/* TODO: the first key of this split, and the key after its last one. */
	/* TODO: query[]: q[row, 0 .. d - 1]. */
	/* TODO: for each tile of at most 64 keys: thread t computes the score of key t of the tile
	 * into tile[t]; then max, sum and acc as in lab 3, and POINT(tile, max, sum, acc). The keys
	 * of row `row` begin at keys[row * n * d], its values at values[row * n * d]. */
	POINT(end, max, sum, acc);              /* recorded when a case fails: see `view` */
	/* TODO: publish the whole partial of every split. acc is not divided by sum. */
	if (split == 0 && t < d)
		o[partial * d + t] = acc;
}
