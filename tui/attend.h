/* attend.h - the request of `flashtwin attend`, for decode steps and for prefill.
 *
 * cmd_attend.c parses options and writes results. attend_step.c runs decode steps; attend_prefill.c
 * runs the paths prefill and prefill-tiled, whose tensors have different shapes. attend_pages.c
 * reads keys and values in pages. Included only by these files.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include "base/npy.h"
#include "engine/attention/prefill.h"
#include "tui/run.h"

struct attend {
	struct run_options run;
	const char *q_path, *k_path, *v_path, *out_path, *lse_path, *lengths_text;
	const char *q_dtype, *out_dtype;        /* NULL: the type of the file of q, of q */
	const char *kv_dtype;           /* NULL: the type of k */
	const char *k_scale_path, *v_scale_path;        /* NULL: 1 */
	const char *page_table_path;    /* NULL: no pages */
	int page;                       /* rows of a page; 0: as in k */
	bool scale_given;
	enum causal_mask mask;
	/* (H, D), (M, H, D) or (M, T, H, D), and (Hkv, n, D) or (M, Hkv, n, D) twice, of pages
	 * (P, Hkv, N, D); prefill: (BH, Nq, D), (BHkv, Nk, D), (BHkv, Nk, Dv) */
	struct npy q, k, v;             /* q is widened to f32 */
	enum dtype q_type;              /* of q's file */
	struct npy k_scale, v_scale;    /* (Hkv) */
	struct npy page_table;          /* (M, pages), or (pages) for one sequence */
	struct attention_shape shape;   /* of a decode step */
	int rows;                       /* n, of k and v; with pages N * pages */
	int *lengths;                   /* [M] keys per sequence, including those appended */
	int *appended;                  /* [M] keys; unused with pages */
	bool *done;                     /* [M] true for a sequence without keys */
	float *k_new, *v_new;           /* [M, T, Hkv, D]; unused with pages */
	struct prefill prefill;         /* with --path prefill */
	float *out;                     /* from the first device; same rank as q */
	enum dtype out_type;            /* of the output file: what out is rounded to */
	float *lse;                     /* [M, T, H], with --lse */
	int64_t out_shape[4];
	size_t out_count;
};

/* --- attend_step.c --- */

/* Reads q, widens it to f32, and sets q_type and out_type. */
enum status attend_read_q(struct attend *);
/* Reads the tensors, derives the shape from them and checks it. */
enum status attend_step_prepare(struct attend *);
/* A run_fn: one step on one device. */
enum status attend_step_target(const struct run_target *, void *attend);

/* --- attend_pages.c --- */

/* Checks which options were given. */
enum status attend_pages_parse(struct attend *);
/* Changes `wanted`, the shape expected of k, to that of a pool. */
void attend_pages_wanted(const struct attend *, int64_t wanted[4]);
/* Reads the page table, and sets the pages of the shape. */
enum status attend_pages_read(struct attend *);
/* Checks the pages that rows of the sequences are in. */
enum status attend_pages_check(const struct attend *);
enum status attend_pages_load(const struct attend *, struct kv_cache *);

/* --- attend_prefill.c --- */

/* Reads the tensors, derives the shape from them and checks it. */
enum status attend_prefill_prepare(struct attend *);
/* A run_fn: one launch on one device. */
enum status attend_prefill_target(const struct run_target *, void *attend);

#endif
