/* attention.h - what an attention path is, and one at work: the structs that all paths share.
 *
 * A path owns its device buffers and KV cache and turns each layer of each decode step into
 * uploads, launches and a download. It knows no model and no trace. One file per path, its struct
 * path last. Serves the paths and what they are made of; path.h is what others include.
 */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "engine/attention/kv_cache.h"
#include "engine/device.h"

#define MAX_CHUNK (1 << 20)             /* keys: lengths in whole chunks then fit an int */

/* How the launches of a step reach the device: one by one; or all at once in a CUDA graph, which
 * was captured from them, or built by hand from a list of them (attention_graph.h). */
enum graph_mode { GRAPH_NONE, GRAPH_CAPTURE, GRAPH_MANUAL };
#define GRAPH_MODES 3

/* In the kernels' letters: M slots, H heads, Hkv kv_heads, D head_dim, C chunk. */
struct attention_shape {
	int layers, slots, heads, kv_heads, head_dim;
	int max_len;                    /* keys a slot has room for */
	int chunk;                      /* keys per chunk, 1 to MAX_CHUNK; 0: `auto` has none */
	float scale;                    /* of the scores; attention_scale() is the usual one */
	int warps;                      /* per chunk of flash decoding, 1 or 2; 0 counts as 1 */
	enum graph_mode graph;          /* NONE: as the path does by itself */
};

/* One layer of one decode step, in host memory. */
struct attention_step {
	int layer;
	const float *q;                 /* [M, H, D] */
	const float *k, *v;             /* [M, Hkv, D], to be appended */
	const bool *done;               /* [M] slots that take no part; NULL: none */
	float *out;                     /* [M, H, D]; rows of slots that are done become zeros */
	int *lengths;                   /* [M] gets the keys each slot holds then, or NULL */
};

/* One layer of a prompt: `rows` positions that follow each other in one slot, in host memory. */
struct attention_prompt {
	int layer, slot, rows;
	const float *q;                 /* [rows, H, D] */
	const float *k, *v;             /* [rows, Hkv, D], to be appended */
	float *out;                     /* [rows, H, D] */
};

struct path;
struct step_io;
struct attention_graph;

/* A path at work on one device: first member of each path's own state. */
struct attention {
	const struct path *path;
	struct device *device;
	struct attention_shape shape;
	struct kv_cache *cache;         /* NULL when there is no work: no slots or no heads */
	struct step_io *io;             /* buffers that all paths have; NULL with the cache */
	struct attention_graph **graphs;        /* [layers]; NULL: every step launches anew */
};

struct path {
	const char *name;               /* the value of --path */
	const char *summary;            /* one line for `flashtwin info` */
	size_t size;                    /* of the path's own state, a struct attention first */
	bool device_lengths;            /* its kernels read lengths from device memory */
	bool replayable;                /* one layer's launches can serve every length: a graph */
	bool chunk_optional;            /* a shape may say chunk 0: none */
	enum graph_mode graph;          /* where the shape says NONE */
	/* Limits of this path alone; what no path can run was refused before. NULL: none. */
	enum status (*check)(const struct attention_shape *);
	/* Dynamic shared memory of its largest launch. */
	size_t (*shared)(const struct attention_shape *);
	/* Allocates what this path has beside the common buffers; NULL: nothing. */
	enum status (*create)(struct attention *);
	/* Launches of one layer, from scatter to output, after the upload and before the download;
	 * lengths of the cache are still those before the append. */
	enum status (*launch)(struct attention *, int layer);
	/* Of a path that does not go so: all of a step. NULL: launch() is there. */
	enum status (*step)(struct attention *, const struct attention_step *);
	void (*destroy)(struct attention *);    /* frees what create() allocated; NULL: nothing */
};

/* "capture" */
const char *graph_mode_name(enum graph_mode);
float attention_scale(int head_dim);                    /* 1 / sqrt(D), in float */
int attention_max_chunks(int max_len, int chunk);       /* ceil(max_len / chunk); 0 for chunk 0 */

#endif
