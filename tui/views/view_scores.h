/* view_scores.h - results of a block of an attention kernel: scores, tiles, V rows.
 *
 * Reads every kernel that runs attend_keys(): a chunk of flash decoding with one warp or two, a row
 * of the incremental and batched kernels. Each warp has a contiguous slice of the block's keys and
 * processes 32 at a time. Used by the views of chunks, reduction and model.
 */
#ifndef VIEW_SCORES_H
#define VIEW_SCORES_H

#include "tui/views/view_place.h"

#define VIEW_TILE 32                    /* keys that a warp processes at a time */
#define VIEW_WARPS 8

/* One step of the online softmax, as lane 0 published it. */
struct view_tile {
	int64_t sequence;               /* of the point */
	int64_t key;                    /* the first */
	float max, rescale, sum;        /* after it */
};

struct view_warp {
	int64_t begin, end;             /* keys begin <= i < end */
	struct view_tile *tiles;        /* [count], part of the block's tiles */
	int64_t count;
};

struct view_scores {
	const struct view_place *place;
	int64_t block, slot, head, kv_head, chunk;
	int64_t begin, end;             /* keys begin <= i < end */
	struct view_warp warp[VIEW_WARPS];
	int warps;
	struct view_tile *tiles;
	int64_t tile_count;
	float *score, *term;            /* [end - begin]; NULL: not all were recorded. term:
	                                 * exp(score - running max), as the kernel summed it */
	float *value;                   /* [end - begin][d]; NULL: not all are known */
	int64_t d;                      /* elements of a row; 0: unknown */
	double max, sum, lse;           /* of all warps, from their last tiles */
};

/* The block of a chunk, for a kernel with grid (H, M, chunks); -1 if there is none. */
int64_t view_scores_block(const struct view_place *, int64_t slot, int64_t head, int64_t chunk);
/* Sets the chunk, slot and head of a block. */
void view_scores_place(struct view_scores *, const struct view_place *, int64_t block);
/* Reads the block's points. Set begin and end if the keys are known; if both are 0, the points are
 * counted instead. Call view_scores_free() even after an error. */
enum status view_scores_read(const struct view_context *, struct view_scores *);
/* Reads the V rows as they were when the launch ran, unless there are more than max_keys. */
enum status view_scores_values(const struct view_context *, struct view_scores *, int64_t max_keys);
void view_scores_free(struct view_scores *);

/* What part of the block's softmax the key has, in float64. NaN if a score is NaN. */
double view_scores_share(const struct view_scores *, int64_t key);
/* The tile that contains the key; NULL if it was not recorded. */
const struct view_tile *view_scores_tile(const struct view_scores *, int64_t key);
/* The last tile of a warp; NULL if it has none. */
const struct view_tile *view_scores_last(const struct view_scores *, int warp);

#endif
