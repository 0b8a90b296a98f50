/* attention.h - the structs that all attention paths share.
 *
 * A path owns its device buffers and KV cache and turns each layer of each decode step into
 * uploads, launches and a download. It does not depend on a model or a trace. Each path has one
 * file, with its struct path at the end. Used by the paths and their parts; others include path.h.
 */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "engine/attention/kv_cache.h"
#include "engine/device.h"

#define MAX_CHUNK (1 << 20)             /* keys; lengths rounded up to chunks fit an int */

/* How the launches of a step reach the device: one by one, or together in a CUDA graph, which is
 * either captured or built by hand from a list of launches
 * (engine/attention/attention_graph.h). */
enum graph_mode { GRAPH_NONE, GRAPH_CAPTURE, GRAPH_MANUAL };
#define GRAPH_MODES 3

/* Kernels call these M (slots), H (heads), Hkv (kv_heads), D (head_dim) and C (chunk). */
struct attention_shape {
	int layers, slots, heads, kv_heads, head_dim;
	int max_len;                    /* capacity of a slot, in keys */
	int chunk;                      /* keys per chunk, 1 to MAX_CHUNK; 0: `auto` uses none */
	float scale;                    /* of the scores; attention_scale() is the usual one */
	int warps;                      /* per chunk of flash decoding, 1 or 2; 0 means 1 */
	enum graph_mode graph;          /* NONE: the path's default */
	int rung;                       /* of the ladder, 4 or more; less: 13, by the shape */
	enum dtype kv_dtype;            /* of the cache: F32 (0), F16, BF16 or E4M3 */
	/* [Hkv], with E4M3: what a code of the cache is multiplied by; NULL: 1. Copied by
	 * attention_create(). */
	const float *k_scale, *v_scale;
	/* A score becomes softcap * tanh(score / softcap); 0: it stays. */
	float softcap;
	/* A query sees the last `window` keys and the first `sinks`; 0: all keys. */
	int window, sinks;
	bool lse;                       /* attention_step() can give log-sum-exps */
	/* Keys and values in pages: max_len is rows * each, and steps append nothing, unless
	 * pages.append. The table is copied by attention_create(). */
	struct kv_pages pages;
	/* T, queries of each sequence in a step: the last sees all keys, and each one before it a
	 * key less. 0: 1. */
	int queries;
};

/* One layer of one decode step, in host memory. */
struct attention_step {
	int layer;
	const float *q;                 /* [M, T, H, D] */
	/* [M, T, Hkv, D], to be appended, in units of the scales; unused if nothing is. */
	const float *k, *v;
	const int *appended;            /* [M] how many of k and v, the last ones; NULL: all T */
	const bool *done;               /* [M] slots to skip; NULL: none */
	/* [M, T, H, D]; rows of slots that are done, and of queries that see nothing, become
	 * zeros. */
	float *out;
	/* [M, T, H] log(sum of exp(score)), -inf for those; or NULL. Needs `lse` of the shape. */
	float *lse;
	int *lengths;                   /* [M] set to the keys in each slot afterwards, or NULL */
};

/* One layer of a prompt: `rows` consecutive positions of one slot, in host memory. */
struct attention_prompt {
	int layer, slot, rows;
	const float *q;                 /* [rows, H, D] */
	const float *k, *v;             /* [rows, Hkv, D], to be appended */
	float *out;                     /* [rows, H, D] */
};

struct path;
struct step_io;
struct attention_graph;

/* The state of a path on one device: first member of each path's own state. */
struct attention {
	const struct path *path;
	struct device *device;
	struct attention_shape shape;
	struct kv_cache *cache;         /* NULL if there is no work: no slots or no heads */
	struct step_io *io;             /* buffers that all paths have; NULL if cache is NULL */
	struct attention_graph **graphs;        /* [layers]; NULL: launches are issued one by one */
};

struct path {
	const char *name;               /* the value of --path */
	const char *summary;            /* one line for `flashtwin info` */
	size_t size;                    /* of the path's own state, with struct attention first */
	bool device_lengths;            /* its kernels read lengths from device memory */
	bool replayable;                /* a graph of one layer's launches works for any length */
	bool chunk_optional;            /* a shape may have chunk 0: no chunks */
	bool narrow;                    /* takes caches of f16, bf16 and e4m3 */
	bool options;                   /* takes softcap, window, sinks and pages, and gives lse */
	bool repeat_kv;                 /* needs a KV head for each query head */
	bool tiled;                     /* attends to prompts with attention_prefill_tiled */
	enum graph_mode graph;          /* the default, where the shape has NONE */
	/* Checks limits of this path only, after the limits common to all paths. NULL: none. */
	enum status (*check)(const struct attention_shape *);
	/* Dynamic shared memory of its largest launch. */
	size_t (*shared)(const struct attention_shape *);
	/* Allocates what this path needs in addition to the common buffers; NULL: nothing. */
	enum status (*create)(struct attention *);
	/* Prepares for new lengths, i32 [M] in device memory, before launches with them; NULL: no
	 * need. One call serves all layers of a step. */
	enum status (*plan)(struct attention *, struct buffer *seq_lens);
	/* Issues the launches of one layer, from scatter to output, after the upload and before the
	 * download. The cache still has the lengths from before the append. */
	enum status (*launch)(struct attention *, int layer);
	/* Runs a whole step, in a path that does more than launch. NULL: the path has launch(). */
	enum status (*step)(struct attention *, const struct attention_step *);
	void (*destroy)(struct attention *);    /* frees what create() allocated; NULL: nothing */
};

/* "capture" */
const char *graph_mode_name(enum graph_mode);
/* Whether any of softcap, window, sinks, lse and pages is set, or there are several queries. */
bool attention_has_options(const struct attention_shape *);
bool attention_appends(const struct attention_shape *);  /* whether steps append keys */
int attention_queries(const struct attention_shape *);  /* T, 1 or more */
/* M * T: launches have a row for each query, with a length and partials of its own. */
int attention_rows(const struct attention_shape *);
/* The window that holds what any query of a sequence sees, counted from its last key; 0: none. */
int attention_whole_window(const struct attention_shape *);
float attention_scale(int head_dim);                    /* 1 / sqrt(D), in float */
int attention_max_chunks(int max_len, int chunk);       /* ceil(max_len / chunk); 0 for chunk 0 */

#endif
