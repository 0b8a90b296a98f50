/* ladder_cache.h - for tests: caches of any type for the ladder, and its results with options.
 *
 * Numbers are what a cache holds before the scales; codes are its bytes. Used by
 * test_ladder_narrow.c, test_ladder_options.c and test_ladder_pages.c of tests/engine/attention/.
 */
#ifndef TESTS_LADDER_CACHE_H
#define TESTS_LADDER_CACHE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/math/narrow_float.h"
#include "base/value.h"
#include "base/xalloc.h"
#include "engine/attention/path.h"
#include "tests/support.h"

/* From -1 to 1. */
static inline float cache_noise(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (float)(*state >> 8) / (float)(1 << 23) - 1.0f;
}

/* Sets element i of a cache; the number that it then is. */
static inline float cache_put(enum dtype type, void *codes, size_t i, float x)
{
	char *at = (char *)codes + i * dtype_bytes(type);

	if (type == DTYPE_F32)
		memcpy(at, &x, sizeof x);
	else if (type == DTYPE_E4M3)
		*(uint8_t *)at = narrow_to_e4m3(x);
	else
		*(uint16_t *)(void *)at = type == DTYPE_F16 ? narrow_to_f16(x) : narrow_to_bf16(x);
	return (float)value_real(type, value_load(type, at));
}

/* Scales of two KV heads: those of e4m3 are not 1. */
static inline void cache_scales(enum dtype type, float k_scale[2], float v_scale[2])
{
	for (int h = 0; h < 2; h++) {
		k_scale[h] = type == DTYPE_E4M3 ? 0.7f + (float)h : 1.0f;
		v_scale[h] = type == DTYPE_E4M3 ? 1.3f - (float)h : 1.0f;
	}
}

/* Whether the query of a sequence sees a key. */
static inline bool cache_is_seen(const struct attention_shape *s, int length, int key)
{
	return key < length && (s->window == 0 || key >= length - s->window || key < s->sinks);
}

/* The rung of a test case: 5 or 6, or one that is above them. */
static inline int ladder_rung_of(enum dtype type, int number)
{
	static const int narrow[] = { 7, 9, 10 };

	if (number / 8 % 2 == 0)
		return 5 + number / 2 % 2;
	return type == DTYPE_F32 ? 9 + number % 2 : narrow[number % 3];
}

/* All rungs with options, and the lowest one that has the bits of a rung; 0: f32 has no rung 7. */
static const int ladder_rungs[] = { 5, 6, 7, 9, 10, 13 };
enum { LADDER_RUNGS = 6 };

static inline int ladder_bits_of(enum dtype type, int rung)
{
	return type == DTYPE_F32 ? (rung == 7 ? 0 : 5) : rung < 7 ? 5 : 7;
}

/* --- a step's result --- */

struct ladder_result {
	float *out, *lse;               /* [slots, H, D], [slots, H] */
};

static inline struct ladder_result ladder_result_new(const struct attention_shape *s)
{
	size_t rows = (size_t)(s->slots * s->heads);

	return (struct ladder_result){ xcalloc(rows * (size_t)s->head_dim, sizeof(float)),
				       xcalloc(rows, sizeof(float)) };
}

static inline void ladder_result_free(struct ladder_result *r)
{
	free(r->out);
	free(r->lse);
}

/* The rows of slot `only` must have the same bits; -1: all. */
static inline void ladder_expect_same(const struct attention_shape *s,
				      const struct ladder_result *wanted,
				      const struct ladder_result *got, int only, const char *what)
{
	size_t D = (size_t)s->head_dim;

	for (int row = 0; row < s->slots * s->heads; row++) {
		if (only >= 0 && row / s->heads != only)
			continue;
		ck_assert_msg(!memcmp(wanted->lse + row, got->lse + row, sizeof(float))
			      && !memcmp(wanted->out + (size_t)row * D, got->out + (size_t)row * D,
					 D * sizeof(float)),
			      "%s, D %zu, %d heads, pages of %d rows: %s: row %d differs",
			      dtype_name(s->kv_dtype), D, s->heads, s->pages.rows, what, row);
	}
}

/* --- the error --- */

/* What a step attends to. */
struct ladder_numbers {
	const struct attention_shape *shape;
	const int *lengths;             /* [slots] */
	int capacity;                   /* rows of a KV head of a slot in k and v */
	const float *q, *k, *v;
	const float *k_scale, *v_scale; /* [KV heads] */
};

/* Attention of a row in double; returns its log-sum-exp. Keys that are not seen may be NaN. */
static inline double ladder_exact_row(const struct ladder_numbers *n, int slot, int head,
				      double *out)
{
	const struct attention_shape *s = n->shape;
	int length = n->lengths[slot], kv_head = head / (s->heads / s->kv_heads);
	size_t D = (size_t)s->head_dim;
	size_t cache = (size_t)(slot * s->kv_heads + kv_head) * (size_t)n->capacity * D;
	const float *q = n->q + (size_t)(slot * s->heads + head) * D;
	double *score = xcalloc((size_t)length + 1, sizeof *score), max = -INFINITY, sum = 0.0;

	for (int key = 0; key < length; key++) {
		score[key] = -INFINITY;
		if (!cache_is_seen(s, length, key))
			continue;
		score[key] = 0.0;
		for (size_t d = 0; d < D; d++)
			score[key] += (double)q[d] * n->k[cache + (size_t)key * D + d];
		score[key] *= (double)s->scale * n->k_scale[kv_head];
		if (s->softcap != 0.0f)
			score[key] = s->softcap * tanh(score[key] / s->softcap);
		max = fmax(max, score[key]);
	}
	memset(out, 0, D * sizeof *out);
	for (int key = 0; key < length; key++) {
		double weight = exp(score[key] - max);

		sum += weight;
		for (size_t d = 0; d < D && weight != 0.0; d++)
			out[d] += weight * n->v_scale[kv_head]
				* n->v[cache + (size_t)key * D + d];
	}
	for (size_t d = 0; d < D && sum != 0.0; d++)
		out[d] /= sum;
	free(score);
	return sum == 0.0 ? -INFINITY : max + log(sum);
}

/* Of sums of at most 256 products and 1,000 terms in float, of numbers below 2. Tensor cores
 * multiply queries and weights of 16 bits by keys and values of bf16, of 22 by those of f16, and of
 * 11 by those of e4m3; a score is off by its size * 2^-17 or 2^-12, and so is the logarithm of a
 * weight. */
static inline double ladder_max_error(const struct attention_shape *s)
{
	if (s->rung < 7)
		return 0x1p-17;
	return s->kv_dtype == DTYPE_BF16 ? 0x1p-14 : s->kv_dtype == DTYPE_E4M3 ? 0x1p-9 : 0x1p-17;
}

/* The outputs, and the log-sum-exps if the shape has them, of test case `number`. */
static inline void ladder_expect_accurate(const struct ladder_numbers *n,
					  const struct ladder_result *r, int number)
{
	const struct attention_shape *s = n->shape;
	size_t D = (size_t)s->head_dim;
	double exact[256], limit = ladder_max_error(s);

	for (int row = 0; row < s->slots * s->heads; row++) {
		double lse = ladder_exact_row(n, row / s->heads, row % s->heads, exact);

		ck_assert_msg(!s->lse || (isinf(lse) ? r->lse[row] == -INFINITY
			      : fabs(r->lse[row] - lse) < limit * fmax(1.0, fabs(lse))),
			      "case %d, row %d: log-sum-exp %.9g, not %.9g", number, row,
			      r->lse[row], lse);
		for (size_t d = 0; d < D; d++)
			ck_assert_msg(fabs(r->out[(size_t)row * D + d] - exact[d])
				      < limit,
				      "case %d, row %d: element %zu is %.9g, not %.9g", number,
				      row, d, r->out[(size_t)row * D + d], exact[d]);
	}
}

#endif
