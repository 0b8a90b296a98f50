/* online_softmax.cuh - one warp attends to a contiguous run of keys, 32 at a time.
 *
 * kernels/attend_keys.cuh is included once for each number of accumulators that a lane may own, so
 * that the accumulators stay in registers.
 *
 * The online softmax of Milakov and Gimelshein (2018), as FlashAttention uses it: a running maximum
 * m, a running sum l of exp(score - m), and accumulators acc = sum of exp(score - m) * v, all
 * rescaled by exp(m_old - m_new) whenever the maximum rises. The result is left un-normalised.
 *
 * Work is split by key for the scores (each lane owns one key of the tile, so a dot product needs
 * no shuffle) and by element for the accumulators (a lane owns elements lane, lane + 32, ...).
 * Loads of keys do not coalesce, because each lane reads a different row. But it reads the whole
 * row, 16 bytes at a time, and the L1 cache holds the rest of each line until then; a tile in
 * shared memory would lower occupancy. Sums have a fixed tree, so all devices get the same bits.
 */
#ifndef ONLINE_SOFTMAX_CUH
#define ONLINE_SOFTMAX_CUH

#include "kernels/kernel.h"

#define WARP 32
#define FULL_WARP 0xffffffffu
#define D_MAX 256
#define OWNED_MAX (D_MAX / WARP)        /* max accumulators per lane: ROW_ELEMENT, below */

/* Kernels load n items before they use the first, so that a GPU can hide memory latency. The
 * simulator has no latency to hide and is faster with one item at a time; its checked build loads
 * what a GPU does, so that counters agree. */
#if defined(__CUDACC__) || defined(FLASHTWIN_CHECK)
#define AT_ONCE(n) (n)
#define AT_MOST(i, last) min(i, last)   /* an index that may be past the end if n > 1 */
#else
#define AT_ONCE(n) 1
#define AT_MOST(i, last) (i)
#endif
#define KEY_LOADS AT_ONCE(8)            /* float4 loads per key */

struct softmax_state {
	float max, sum;                 /* the same in all lanes */
	float acc[OWNED_MAX];           /* element ROW_ELEMENT(lane, i, D) of the row */
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

/* Four sums keep four operations in flight; their order is part of the numerics contract. */
static __device__ float dot_unaligned(const float *a, const float *b, int D)
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

/* The same sums with loads of 16 bytes, if rows of D floats are aligned to them. */
#ifdef FOUR_FMAF
/* The simulator's compiler does not find that four sums fit into one vector. */
static __device__ float dot(const float *query, const float *key, int D)
{
	four_floats s = { 0.0f, 0.0f, 0.0f, 0.0f };

	if (D % 4)
		return dot_unaligned(query, key, D);
#pragma GCC unroll 8    /* fewer instructions: those of several keys are in flight at once */
	for (int d = 0; d < D; d += 4)
		s = FOUR_FMAF(*(const four_floats *)(query + d),
			      *(const four_floats *)(key + d), s);
	return (s[0] + s[1]) + (s[2] + s[3]);
}
#else
static __device__ float dot(const float *query, const float *key, int D)
{
	float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;

	if (D % 4)
		return dot_unaligned(query, key, D);
	for (int d = 0; d < D; d += 4 * KEY_LOADS) {
		float4 k[KEY_LOADS];

#pragma unroll
		for (int i = 0; i < KEY_LOADS; i++)
			k[i] = *(const float4 *)(key + min(d + 4 * i, D - 4));
#pragma unroll
		for (int i = 0; i < KEY_LOADS; i++) {
			if (d + 4 * i < D) {
				float4 q = *(const float4 *)(query + d + 4 * i);

				s0 = fmaf(q.x, k[i].x, s0);
				s1 = fmaf(q.y, k[i].y, s1);
				s2 = fmaf(q.z, k[i].z, s2);
				s3 = fmaf(q.w, k[i].w, s3);
			}
		}
	}
	return (s0 + s1) + (s2 + s3);
}
#endif

/* Element i of a lane in a row of D floats, at least D if it has none. On a GPU lanes next to each
 * other load elements next to each other. Where the simulator has vectors of four floats, a lane
 * has elements next to each other: each sum is the same, and four of them are one instruction. */
#ifdef FOUR_FMAF
#define ROW_FOURS(D) ((D) > 64 && (D) % 4 == 0)
#define ROW_OWNED(D) ((D) <= 128 ? 4 : 8)
#define ROW_ELEMENT(lane, i, D) \
	(!ROW_FOURS(D) ? (lane) + WARP * (i) \
	 : (i) < ROW_OWNED(D) ? (lane) * ROW_OWNED(D) + (i) : (D))

/* acc[i] = acc[i] + weights[j] * rows[j][element i of the lane], for all keys j in their order. */
static __device__ void add_fours(float *acc, int owned, const float *weights, const float *rows,
				 int keys, int D)
{
	int lane = threadIdx.x % WARP;

	for (int i = 0; i < owned; i += 4) {
		const float *from = rows + min(lane * owned + i, D - 4);
		four_floats sum = { acc[i], acc[i + 1], acc[i + 2], acc[i + 3] };

#pragma GCC unroll 4
		for (int j = 0; j < keys; j++) {
			float w = weights[j];

			sum = FOUR_FMAF(((four_floats){ w, w, w, w }),
					*(const four_floats *)(from + j * D), sum);
		}
		for (int n = 0; n < 4; n++)
			acc[i + n] = sum[n];
	}
}
#else
#define ROW_FOURS(D) 0
#define ROW_ELEMENT(lane, i, D) ((lane) + WARP * (i))
#define add_fours(acc, owned, weights, rows, keys, D) ((void)0)
#endif

/* warp_max() and warp_sum() in the simulator's form, with the same bits. */
#ifdef BUTTERFLY
#define warp_max(x) BUTTERFLY(MAX, x)
#define warp_sum(x) BUTTERFLY(SUM, x)
#endif

#define OWNED 2
#define ATTEND_KEYS attend_keys_64
#include "kernels/attend_keys.cuh"

#define OWNED 4
#define ATTEND_KEYS attend_keys_128
#include "kernels/attend_keys.cuh"

#define OWNED 8
#define ATTEND_KEYS attend_keys_256
#include "kernels/attend_keys.cuh"

/* Attends to keys [begin, end) of one KV head, begin < end. k and v point at key 0, rows of D
 * floats. If D is a multiple of 4, rows must begin at multiples of 16 bytes, as in every cache.
 * query (D floats, 16-byte aligned) and weights (32 floats) are in shared memory. weights must not
 * be shared with other warps; query needs no barrier after it was written by this warp. */
static __device__ void attend_keys(struct softmax_state *state, const float *k, const float *v,
				   int begin, int end, int D, float scale,
				   const float *query, float *weights)
{
	if (D <= 64)
		attend_keys_64(state, k, v, begin, end, D, scale, query, weights);
	else if (D <= 128)
		attend_keys_128(state, k, v, begin, end, D, scale, query, weights);
	else
		attend_keys_256(state, k, v, begin, end, D, scale, query, weights);
}

#endif
