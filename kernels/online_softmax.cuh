/* online_softmax.cuh - one warp attends to a contiguous run of keys, 32 at a time.
 *
 * attend_keys() comes once for each number of accumulators a lane may own, by including
 * kernels/attend_keys.cuh again and again: accumulators then stay in registers.
 *
 * The online softmax of Milakov and Gimelshein (2018), as FlashAttention uses it: a running maximum m,
 * a running sum l of exp(score - m), and accumulators acc = sum of exp(score - m) * v, all rescaled by
 * exp(m_old - m_new) whenever the maximum rises. The result is left un-normalised.
 *
 * Work is split by key for the scores (each lane owns one key of the tile, so a dot product needs no
 * shuffle) and by element for the accumulators (lane owns elements lane, lane + 32, ...). K rows go
 * through shared memory because lanes that read one row each would not coalesce.
 * Every sum has a fixed tree, so every device gets the same bits.
 */
#ifndef ONLINE_SOFTMAX_CUH
#define ONLINE_SOFTMAX_CUH

#include "kernels/kernel.h"

#define WARP 32
#define FULL_WARP 0xffffffffu
#define D_MAX 256
#define OWNED_MAX (D_MAX / WARP)        /* accumulators of a lane, at most */

struct softmax_state {
	float max, sum;                 /* the same in all lanes */
	float acc[OWNED_MAX];           /* elements lane + 32 * i */
};

static __device__ float warp_max(float x)
{
	for (int step = WARP / 2; step > 0; step /= 2)
		x = fmaxf(x, __shfl_xor_sync(FULL_WARP, x, step));
	return x;
}

static __device__ float warp_sum(float x)
{
	for (int step = WARP / 2; step > 0; step /= 2)
		x += __shfl_xor_sync(FULL_WARP, x, step);
	return x;
}

/* Four partial sums keep four fused multiply-adds in flight; their tree is part of the contract. */
static __device__ float dot(const float *a, const float *b, int D)
{
	float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
	int d = 0;

	for (; d + 4 <= D; d += 4) {
		s0 = fmaf(a[d], b[d], s0);
		s1 = fmaf(a[d + 1], b[d + 1], s1);
		s2 = fmaf(a[d + 2], b[d + 2], s2);
		s3 = fmaf(a[d + 3], b[d + 3], s3);
	}
	for (; d < D; d++)
		s0 = fmaf(a[d], b[d], s0);
	return (s0 + s1) + (s2 + s3);
}

#define OWNED 2
#define ATTEND_KEYS attend_keys_64
#include "kernels/attend_keys.cuh"

#define OWNED 4
#define ATTEND_KEYS attend_keys_128
#include "kernels/attend_keys.cuh"

#define OWNED 8
#define ATTEND_KEYS attend_keys_256
#include "kernels/attend_keys.cuh"

/* Attends to keys [begin, end) of one KV head, begin < end. k and v point at key 0, rows of D floats.
 * query holds D floats; tile 32 rows of D + 1 (the odd stride keeps a column of lanes off one bank);
 * weights 32. All three are shared memory of this warp; query may just have been written. */
static __device__ void attend_keys(struct softmax_state *state, const float *k, const float *v,
				   int begin, int end, int D, float scale,
				   const float *query, float *tile, float *weights)
{
	if (D <= 64)
		attend_keys_64(state, k, v, begin, end, D, scale, query, tile, weights);
	else if (D <= 128)
		attend_keys_128(state, k, v, begin, end, D, scale, query, tile, weights);
	else
		attend_keys_256(state, k, v, begin, end, D, scale, query, tile, weights);
}

#endif
