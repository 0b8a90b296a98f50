/* view_shape.h - the shape of a launch that attends or merges: which slot, query head and chunk of
 * keys a block has, which points are whose, and which launch merges.
 *
 * The one place that knows how our kernels number blocks and points. The blocks of flash decoding's
 * kernels and of those without chunks have one query head each. Those of the ladder
 * (doc/ladder.md) have all query heads of a KV head: a block alone does not say which of them is
 * meant, but a thread or point does. With a plan, a block has a run of chunks. All views use this.
 */
#ifndef VIEW_SHAPE_H
#define VIEW_SHAPE_H

#include "tui/views/view_place.h"

/* --- what a launch does, by the name of its kernel --- */

enum view_role {
	VIEW_OTHER,
	VIEW_CHUNKS,                    /* publishes partials of chunks */
	VIEW_MERGES,                    /* merges them */
	VIEW_WHOLE,                     /* attends to all keys of a row */
	VIEW_QUERIES                    /* attends for many queries: prefill */
};
enum view_role view_role(const char *kernel);
/* Whether its blocks have runs of chunks, by a plan or in clusters: they follow from partials,
 * which may have to be recomputed first. */
bool view_shape_has_runs(const char *kernel);

/* --- blocks --- */

enum view_shape_form {
	SHAPE_HEADS,                    /* grid (H, M, chunks), or (H, M) */
	SHAPE_GROUP,                    /* (Hkv, M, chunks); warp g has query head g of the group */
	SHAPE_SPLIT,                    /* (Hkv, M, chunks); every warp has all of the group */
	SHAPE_PLANNED,                  /* (blocks); as SHAPE_SPLIT, each with a run of units */
	SHAPE_CLUSTER                   /* (Hkv, M, blocks of a cluster); the same */
};

/* A split of the keys of a slot and KV head, which a block attends to. */
struct view_unit {
	int64_t slot, kv_head, chunk, begin, end, block;
};

struct view_shape {
	struct view_place place;        /* launch -1: the host, which has one slot */
	enum view_shape_form form;
	int64_t heads, kv_heads, slots;
	int64_t chunks;                 /* that a row has space for */
	int64_t group;                  /* query heads of a KV head, in one block */
	int64_t d;                      /* elements of a row; 0: unknown */
	bool merges;                    /* its blocks merge too: the last ones, or clusters */
	int tile, warps;                /* keys of a tile; warps that share the keys of a chunk */
	int scored;                     /* query heads that a warp scores at once; 0: one */
	bool tensor;                    /* by tensor cores */
	/* From SHAPE_SPLIT on, if lengths are known: in the order of slot, KV head and chunk. */
	struct view_unit *units;
	int64_t unit_count;
};

/* Reads the shape of a launch that attends or merges. The lengths of sequences, from which the plan
 * follows, are those of its partials: view_recompute() comes first. Call view_shape_free() also
 * after an error. */
enum status view_shape_read(const struct view_context *, const struct view_place *,
			    struct view_shape *);
void view_shape_free(struct view_shape *);
/* Whether a block has a run of units, which may be none. */
bool view_shape_runs(const struct view_shape *);
/* Who merges in a launch that merges too: "last block" or "cluster". */
const char *view_shape_merger(const struct view_shape *);
/* Fills in the block, warp and lane that merge an element of a row; of SHAPE_CLUSTER. */
void view_shape_merged_by(const struct view_shape *, int64_t slot, int64_t head, int64_t element,
			  struct address *);
/* The query head whose elements a thread of SHAPE_CLUSTER merges; -1: none. */
int64_t view_shape_merged_head(const struct view_shape *, int64_t block, int64_t thread);
/* Whether a block has several query heads. */
bool view_shape_packed(const struct view_shape *);
int64_t view_shape_kv_head(const struct view_shape *, int64_t head);
/* The block of a chunk; -1 if there is none. A reduction has chunk 0 only. */
int64_t view_shape_block(const struct view_shape *, int64_t slot, int64_t head, int64_t chunk);
/* Whether what a launch has in the partial of a chunk without keys is wrong: -inf and 0 are right.
 * No run has such a chunk, so whatever was there before is right. */
bool view_shape_empty_wrong(const struct view_shape *, float max, float sum);
/* Why no run has a chunk: "not in the plan" or "in no block"; NULL: the blocks have no runs. */
const char *view_shape_left_out(const struct view_shape *);
/* The end of a line about chunks without keys, of which some are wrong, or none. */
const char *view_shape_empty_text(const struct view_shape *, bool wrong);

/* --- addresses --- */

/* What an address in the launch means. */
struct view_spot {
	int64_t slot, head;
	int64_t chunk;                  /* -1: the block has none */
};

/* Whether the context's address is in this launch, and names a block, or an element of partials. */
bool view_shape_named(const struct view_context *, const struct view_shape *);
/* Its spot; a head or slot that the address leaves open is the one shown last if the block has it,
 * else the block's first. */
struct view_spot view_shape_spot(const struct view_context *, const struct view_shape *);
/* Fills in block, and what else names the spot: a warp that has the head, or the first point of
 * the chunk and head. */
void view_shape_address(const struct view_shape *, int64_t slot, int64_t head, int64_t chunk,
			struct address *);
/* Links the next line to the spot. The one that the context's address means has that block as its
 * address, so that the cursor begins there. */
void view_shape_anchor(const struct view_context *, const struct view_shape *, int64_t slot,
		       int64_t head, int64_t chunk);
/* A line that says how blocks are numbered, without its end. */
void view_shape_describe(const struct view_shape *, char text[160]);

/* --- points of SHAPE_SPLIT and the forms with runs; in view_shape_points.c --- */

/* A point of a thread, or a range of them. */
struct view_shape_point {
	int64_t unit;                   /* index; -1: none has this point */
	int64_t head;
	int64_t key;                    /* scored; of a tile's softmax, its first */
	int64_t tile;                   /* of the warp's in the unit */
	bool softmax;
};
struct view_shape_point view_shape_point(const struct view_shape *, int64_t block, int64_t warp,
					 int64_t lane, int64_t sequence);
/* The unit of a chunk; -1: none, or the lengths are unknown. */
int64_t view_shape_unit(const struct view_shape *, int64_t slot, int64_t head, int64_t chunk);
/* How many points a thread passes before a unit, and in it. */
int64_t view_shape_points_before(const struct view_shape *, int64_t unit, int64_t warp,
				 int64_t lane);
int64_t view_shape_points_in(const struct view_shape *, int64_t unit, int64_t warp, int64_t lane);
/* The lanes of each warp that have points of a head: `first`, which has those of its softmax, and
 * each `step`-th after it, `count` in all. */
struct view_lanes {
	int64_t first, step, count;
};
struct view_lanes view_shape_lanes(const struct view_shape *, int64_t head);

/* --- other launches; in view_shape_pair.c --- */

/* Goes from an address in a launch to the same slot and head of another one that attends or merges.
 * Without a block it names the launch only. */
enum status view_shape_carry(const struct view_context *, int64_t launch, struct address *);
/* Where the launch of the address is one of two that share a screen's subject, the chunks of a step
 * and layer and their reduction: puts the other one, the nearest that `table` has rows for, into
 * *at, with the slot and head of the address's block, and its place into *place. Otherwise leaves
 * both alone. direction: 1 after the launch, -1 before it. */
enum status view_shape_pair(const struct view_context *, const char *table, int direction,
			    struct view_place *, struct address *at);

#endif
