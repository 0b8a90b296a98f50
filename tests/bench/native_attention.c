/* native_attention.c - decode attention in plain C, one head at a time, and a matrix product.
 *
 * Computes the scores of all keys, their maximum, the weights and their sum, then the weighted sum
 * of the rows of V. Loops run over contiguous memory, so that the compiler can vectorise them. The
 * header says what it is for.
 */
#include "tests/bench/native_attention.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static float dot(const float *restrict a, const float *restrict b, int D)
{
	float sum = 0.0f;

	for (int d = 0; d < D; d++)
		sum += a[d] * b[d];
	return sum;
}

/* Scores of n keys, then weights exp(score - max); returns the sum of weights. */
static float softmax_weights(const float *restrict q, const float *restrict k,
			     float *restrict weights, int D, int n, float scale)
{
	float max = -FLT_MAX, sum = 0.0f;

	for (int i = 0; i < n; i++)
		weights[i] = dot(q, k + (size_t)i * D, D) * scale;
	for (int i = 0; i < n; i++)
		max = weights[i] > max ? weights[i] : max;
	for (int i = 0; i < n; i++) {
		weights[i] = expf(weights[i] - max);
		sum += weights[i];
	}
	return sum;
}

/* Four rows at a time: out is read and written once for them instead of four times. */
static void weighted_rows(const float *restrict weights, const float *restrict v,
			  float *restrict out, int D, int n, float factor)
{
	int i = 0;

	for (int d = 0; d < D; d++)
		out[d] = 0.0f;
	for (; i + 4 <= n; i += 4) {
		const float *restrict row = v + (size_t)i * D;
		float w0 = weights[i], w1 = weights[i + 1], w2 = weights[i + 2],
		      w3 = weights[i + 3];

		for (int d = 0; d < D; d++)
			out[d] += w0 * row[d] + w1 * row[D + d] + w2 * row[2 * D + d]
				  + w3 * row[3 * D + d];
	}
	for (; i < n; i++)
		for (int d = 0; d < D; d++)
			out[d] += weights[i] * v[(size_t)i * D + d];
	for (int d = 0; d < D; d++)
		out[d] *= factor;
}

void native_attention(const float *q, const float *k, const float *v, float *out,
		      int H, int Hkv, int D, int n, int max_len, float scale, float *scratch)
{
	for (int h = 0; h < H; h++) {
		size_t cache = (size_t)(h * Hkv / H) * max_len * D;
		size_t row = (size_t)h * D;
		float sum = softmax_weights(q + row, k + cache, scratch, D, n, scale);

		weighted_rows(scratch, v + cache, out + row, D, n, n > 0 ? 1.0f / sum : 0.0f);
	}
}

void native_matmul(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
	memset(c, 0, (size_t)n * n * sizeof *c);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				c[(size_t)i * n + j] += a[(size_t)i * n + k] * b[(size_t)k * n + j];
}

double native_attention_flops(int H, int D, int n)
{
	return 4.0 * H * D * n;
}

/* Compiled for any processor, since it decides whether this one can run the rest. */
#ifdef __x86_64__
__attribute__((target("arch=x86-64")))
#endif
const char *native_attention_lacks(void)
{
#define NEED(set) \
	if (!__builtin_cpu_supports(set)) \
		return set
#ifdef __SSE4_2__
	NEED("sse4.2");
#endif
#ifdef __AVX__
	NEED("avx");
#endif
#ifdef __FMA__
	NEED("fma");
#endif
#ifdef __AVX2__
	NEED("avx2");
#endif
#ifdef __BMI2__
	NEED("bmi2");
#endif
#ifdef __AVX512F__
	NEED("avx512f");
#endif
#ifdef __AVX512VL__
	NEED("avx512vl");
#endif
#ifdef __AVX512BW__
	NEED("avx512bw");
#endif
#ifdef __AVX512DQ__
	NEED("avx512dq");
#endif
#undef NEED
	return NULL;
}
