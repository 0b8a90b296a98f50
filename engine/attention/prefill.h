/* prefill.h - attention of many queries at once: one launch for all heads, no Nq x Nk matrix.
 *
 * Serves prompts (engine/attention/step_io.c), the paths prefill and cached, and `flashtwin attend`.
 * Buffers are the caller's; only prefill_run() has its own. The arithmetic is
 * kernels/attention_prefill.cu.
 */
#ifndef PREFILL_H
#define PREFILL_H

#include "engine/device.h"

/* Which keys query i of Nq sees of Nk: all; those before and at i; or, aligned at the other end,
 * those before and at i + Nk - Nq. */
enum causal_mask { MASK_NONE, MASK_TOP_LEFT, MASK_BOTTOM_RIGHT };

/* q [heads, queries, head_dim], k [kv_heads, stride, head_dim], v [kv_heads, stride, value_dim],
 * of which `keys` keys count; out [heads, queries, value_dim]. */
struct prefill {
	int heads, kv_heads;            /* heads is a multiple of kv_heads */
	int queries, keys;
	int head_dim, value_dim;
	int stride;                     /* keys from one KV head to the next */
	enum causal_mask mask;
	float scale;
	int layer;                      /* for the trace; -1: none */
};

/* USAGE, naming `who` and the numbers, for what cannot run. */
enum status prefill_check(const char *who, const struct prefill *);
/* Bytes of dynamic shared memory that the launch takes. */
unsigned prefill_shared_bytes(int head_dim, int value_dim);
/* Launches it, unless there are no heads, queries or values: then it does nothing. q, k, v and
 * out are pointer arguments (ARG_AT). Sizes have passed prefill_check(). */
enum status prefill_launch(struct device *, const struct prefill *, struct arg q, struct arg k,
			   struct arg v, struct arg out);
/* The whole of it over host memory, stride = keys: checks, buffers, uploads, launch, download. */
enum status prefill_run(struct device *, const struct prefill *, const float *q, const float *k,
			const float *v, float *out);

#endif
