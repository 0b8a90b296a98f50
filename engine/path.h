/* path.h - what an attention path is: one way to append a step's keys and attend to them.
 *
 * A path owns its device buffers and KV cache and turns each layer of each decode step into
 * uploads, launches and a download. It knows no model and no trace. One file per path, its struct
 * path last; the table of all of them is in path.c. Serves the commands.
 */
#ifndef PATH_H
#define PATH_H

#include "engine/device.h"
#include "engine/kv_cache.h"

#define MAX_CHUNK (1 << 20)             /* keys: lengths in whole chunks then fit an int */

/* In the kernels' letters: M slots, H heads, Hkv kv_heads, D head_dim, C chunk. */
struct attention_shape {
	int layers, slots, heads, kv_heads, head_dim;
	int max_len;                    /* keys a slot has room for */
	int chunk;                      /* keys per chunk, 1 to MAX_CHUNK */
	float scale;                    /* of the scores; attention_scale() is the usual one */
};

/* One layer of one decode step, in host memory. */
struct attention_step {
	int layer;
	const float *q;                 /* [M, H, D] */
	const float *k, *v;             /* [M, Hkv, D], to be appended */
	const bool *done;               /* [M] slots that take no part; NULL: none */
	float *out;                     /* [M, H, D]; rows of slots that are done become zeros */
};

struct path;

/* A path at work on one device: first member of each path's own state. */
struct attention {
	const struct path *path;
	struct device *device;
	struct attention_shape shape;
	struct kv_cache *cache;         /* NULL when there is no work: no slots or no heads */
};

struct path {
	const char *name;               /* the value of --path */
	const char *summary;            /* one line for `flashtwin info` */
	/* Limits of this path alone; shapes that no path can run were refused before. */
	enum status (*check)(const struct attention_shape *);
	enum status (*create)(struct device *, const struct attention_shape *,
			      struct attention **out);
	enum status (*step)(struct attention *, const struct attention_step *);
	void (*destroy)(struct attention *);
};

/* Every path, NULL-terminated. */
extern const struct path *const path_table[];
const struct path *path_find(const char *name);         /* NULL when there is none */

/* USAGE, naming the path, what it expects and what it got, for a shape that it cannot run. */
enum status attention_check(const struct path *, const struct attention_shape *);
/* Allocates everything the path needs, for a shape that passes attention_check(), which is called
 * first. The device outlives the result. Else the device's errors. */
enum status attention_create(const struct path *, struct device *, const struct attention_shape *,
			     struct attention **out);
/* Appends k and v and attends: n counts keys after the append. On an error (a full slot: USAGE) the
 * cache lengths stay as they were, and nothing was written unless the device itself failed. */
enum status attention_step(struct attention *, const struct attention_step *);
/* NULL is fine. Leaves the error record as it was. */
void attention_destroy(struct attention *);

float attention_scale(int head_dim);                    /* 1 / sqrt(D), in float */
int attention_max_chunks(int max_len, int chunk);       /* ceil(max_len / chunk) */

extern const struct path path_flash_decoding;

#endif
