/* path_parts.h - the parts of attention paths that the path `auto` combines: the launches of each
 * path between the scatter and the download.
 *
 * Each part is in the file of its own path. Used by engine/attention/path_*.c only.
 */
#ifndef PATH_PARTS_H
#define PATH_PARTS_H

#include "engine/attention/step_io.h"

/* --- path_flash_decoding.c --- */

struct flash_part {
	int max_chunks;
	struct buffer *partials;        /* [M, H, max_chunks, D + 2] */
};

enum status flash_check(const char *who, const struct attention_shape *);
size_t flash_shared(const struct attention_shape *);
enum status flash_alloc(struct attention *, struct flash_part *);
void flash_free(struct attention *, struct flash_part *);
/* The launch that merges the partials of the chunks. */
enum status flash_reduce(struct attention *, const struct flash_part *, int layer);
enum status flash_attend(struct attention *, const struct flash_part *, int layer);

/* --- path_batched.c --- */

/* One table per layer, so that a graph that captured a launch of one layer keeps its pointers. */
struct batched_part {
	struct buffer **k_ptrs, **v_ptrs;       /* [layers] pointer tables [M] */
};

enum status batched_alloc(struct attention *, struct batched_part *);
void batched_free(struct attention *, struct batched_part *);
enum status batched_attend(struct attention *, const struct batched_part *, int layer);

/* --- path_incremental.c --- */

/* Bytes of dynamic shared memory in which `warps` warps merge their results; 0 for one warp. */
size_t merge_bytes(const struct attention_shape *, unsigned warps);
/* Attends in one slot, which may be done, with 1 or 4 warps per query head. */
enum status incremental_attend(struct attention *, int layer, int slot, unsigned warps);

#endif
