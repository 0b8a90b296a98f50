/* attend.h - the request of `flashtwin attend`, for decode steps and for prefill.
 *
 * cmd_attend.c parses options, runs decode steps and writes results. attend_prefill.c runs the
 * paths prefill and prefill-tiled, whose tensors have different shapes. Included only by these two
 * files.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include "base/npy.h"
#include "engine/attention/prefill.h"
#include "tui/run.h"

struct attend {
	struct run_options run;
	const char *q_path, *k_path, *v_path, *out_path, *lse_path, *lengths_text;
	const char *kv_dtype;           /* NULL: the type of k */
	const char *k_scale_path, *v_scale_path;        /* NULL: 1 */
	bool scale_given;
	enum causal_mask mask;
	/* (H, D) or (M, H, D), and (Hkv, n, D) or (M, Hkv, n, D) twice; prefill: (BH, Nq, D),
	 * (BHkv, Nk, D), (BHkv, Nk, Dv) */
	struct npy q, k, v;
	struct npy k_scale, v_scale;    /* (Hkv) */
	struct attention_shape shape;   /* of a decode step */
	int rows;                       /* n, of k and v */
	int *lengths;                   /* [M] keys per sequence, including the appended one */
	bool *done;                     /* [M] true for a sequence without keys */
	float *k_new, *v_new;           /* [M, Hkv, D] */
	struct prefill prefill;         /* with --path prefill */
	float *out;                     /* from the first device; same rank as q */
	float *lse;                     /* [M, H], with --lse */
	int64_t out_shape[3];
	size_t out_count;
};

/* Reads the tensors, derives the shape from them and checks it. */
enum status attend_prefill_prepare(struct attend *);
/* A run_fn: one launch on one device. */
enum status attend_prefill_target(const struct run_target *, void *attend);

#endif
