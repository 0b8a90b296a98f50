/* prefill.h - attention of many queries at once: one launch for all heads, no Nq x Nk matrix.
 *
 * The caller provides the buffers; only prefill_run() allocates its own. The arithmetic is in
 * kernels/attention_prefill.cu, or in kernels/attention_prefill_tiled.cu if `tiled`. Used by
 * prompts (engine/attention/step_io.c), the paths prefill, prefill-tiled and cached, and
 * `flashtwin attend`.
 */
#ifndef PREFILL_H
#define PREFILL_H

#include "engine/device.h"

/* Which of the Nk keys query i of Nq sees: all; keys 0 to i; or, aligned at the end, keys 0 to
 * i + Nk - Nq. */
enum causal_mask { MASK_NONE, MASK_TOP_LEFT, MASK_BOTTOM_RIGHT };

/* q [heads, queries, head_dim], k [kv_heads, stride, head_dim], v [kv_heads, stride, value_dim],
 * of which the first `keys` rows are used; out [heads, queries, value_dim]. */
struct prefill {
	int heads, kv_heads;            /* heads is a multiple of kv_heads */
	int queries, keys;
	int head_dim, value_dim;
	int stride;                     /* rows from one KV head to the next */
	enum causal_mask mask;
	float scale;
	int layer;                      /* for the trace; -1: none */
	/* The faster kernel, for head_dim = value_dim of 64, 80, 96, 128 or 256; other bits. */
	bool tiled;
};

/* USAGE if the kernel does not support the sizes; the message begins with `who`. */
enum status prefill_check(const char *who, const struct prefill *);
/* Bytes of dynamic shared memory that the launch takes. */
unsigned prefill_shared_bytes(int head_dim, int value_dim);
unsigned prefill_tiled_shared_bytes(int head_dim);
/* USAGE if the tiled kernel does not support the head size. */
enum status prefill_check_tiled(const char *who, int head_dim, int value_dim);
/* Launches the kernel; does nothing without heads, queries or values. q, k, v and out are pointer
 * arguments (ARG_AT). The sizes must have passed prefill_check(). USAGE, naming the tensor, if a
 * buffer is shorter than its shape; nothing is launched. */
enum status prefill_launch(struct device *, const struct prefill *, struct arg q, struct arg k,
			   struct arg v, struct arg out);
/* Runs everything on tensors in host memory, with stride = keys: checks, buffers, uploads, launch,
 * download. */
enum status prefill_run(struct device *, const struct prefill *, const float *q, const float *k,
			const float *v, float *out);

#endif
