/* view_scores.h - results of a block of an attention kernel for one query head: scores, tiles, V
 * rows.
 *
 * Reads every kernel that attends to the keys of one query for each head: a chunk of flash decoding
 * or of the ladder, a row of the incremental and batched kernels. The warps that share a block's
 * keys have contiguous slices of them, or take its tiles in turn. Used by the views of chunks,
 * reduction, text and steps.
 */
#ifndef VIEW_SCORES_H
#define VIEW_SCORES_H

#include "tui/views/view_shape.h"

#define VIEW_TILE 32                    /* keys of a tile, except in the ladder from rung 5 up */
#define VIEW_WARPS 8

/* One step of the online softmax, as a lane published it. */
struct view_tile {
	int64_t warp, lane, sequence;   /* of the point, in its block */
	int64_t key, end;               /* keys key <= i < end */
	float max, rescale, sum;        /* after it, of the keys of its warp so far */
};

struct view_warp {
	int64_t begin, end;             /* keys begin <= i < end: its slice, or its first tile */
	struct view_tile *tiles;        /* [count], part of the block's tiles */
	int64_t count;
};

struct view_scores {
	const struct view_shape *shape;
	int64_t block, slot, head, kv_head, chunk;
	int64_t begin, end;             /* keys begin <= i < end */
	struct view_warp warp[VIEW_WARPS];
	int warps;                      /* that share the keys */
	struct view_tile *tiles;
	int64_t tile_count;
	float *score, *term;            /* [end - begin]; NULL: not all were recorded. term:
	                                 * exp(score - running max), as the kernel summed it */
	float *value;                   /* [end - begin][d]; NULL: not all are known */
	int64_t d;                      /* elements of a row; 0: unknown */
	double max, sum, lse;           /* of all warps, from their last tiles */
};

/* Names the chunk that is to be read; its block is -1 if there is none. The shape must stay. */
void view_scores_place(struct view_scores *, const struct view_shape *, int64_t slot, int64_t head,
		       int64_t chunk);
/* Reads the chunk's points. Set begin and end if the keys are known; if both are 0, the points are
 * counted instead. Call view_scores_free() even after an error. */
enum status view_scores_read(const struct view_context *, struct view_scores *);
/* Reads the V rows as they were when the launch ran, unless there are more than max_keys. */
enum status view_scores_values(const struct view_context *, struct view_scores *, int64_t max_keys);
void view_scores_free(struct view_scores *);

/* Whether warps take tiles in turn. */
bool view_scores_strided(const struct view_scores *);
/* What part of the block's softmax the key has, in float64. NaN if a score is NaN. */
double view_scores_share(const struct view_scores *, int64_t key);
/* The tile that contains the key; NULL if it was not recorded. */
const struct view_tile *view_scores_tile(const struct view_scores *, int64_t key);
/* The last tile of a warp; NULL if it has none. */
const struct view_tile *view_scores_last(const struct view_scores *, int warp);
/* The index of the tile that has a key; -1: none. */
int64_t view_tile_of(const struct view_tile *tiles, int64_t count, int64_t key);

#endif
