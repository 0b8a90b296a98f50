/* view_scores.h - results of a block of an attention kernel: scores, tiles, V rows.
 *
 * One reader for every kernel that runs attend_keys(): a chunk of flash decoding with one warp or
 * two, a row of the incremental and batched kernels. Each warp has a contiguous slice of the
 * block's keys and takes them 32 at a time. Used by the views of chunks, reduction and model.
 */
#ifndef VIEW_SCORES_H
#define VIEW_SCORES_H

#include "tui/views/view_place.h"

#define VIEW_TILE 32                    /* keys that a warp takes at a time */
#define VIEW_WARPS 8

/* One step of the online softmax, as lane 0 published it. */
struct view_tile {
	int64_t sequence;               /* of the point */
	int64_t key;                    /* the first */
	float max, rescale, sum;        /* after it */
};

struct view_warp {
	int64_t begin, end;             /* keys begin <= i < end */
	struct view_tile *tiles;        /* [count], of its block's */
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
	float *score, *weight;          /* [end - begin], NULL: not all of them were recorded */
	float *value;                   /* [end - begin][d], NULL: not all are known */
	int64_t d;                      /* elements of a row; 0: not known */
	double max, sum, lse;           /* of all warps, from their last tiles */
};

/* The block of a chunk, of a kernel of grid (H, M, chunks); -1: there is none such. */
int64_t view_scores_block(const struct view_place *, int64_t slot, int64_t head, int64_t chunk);
/* Chunk, row and head of a block. */
void view_scores_place(struct view_scores *, const struct view_place *, int64_t block);
/* Reads what points there are of the block. Keys begin to end are given when known, else both are
 * 0 and the points are counted. Freed by view_scores_free(), after an error too. */
enum status view_scores_read(const struct view_context *, struct view_scores *);
/* Reads V rows as they were when the launch ran, of at most `most` keys. */
enum status view_scores_values(const struct view_context *, struct view_scores *, int64_t most);
void view_scores_free(struct view_scores *);

/* Weight of a key among those of the block, in float64. NAN where a score is. */
double view_scores_share(const struct view_scores *, int64_t key);
/* Which warp took the key, and in which of its tiles; NULL: no tile was recorded for it. */
const struct view_tile *view_scores_tile(const struct view_scores *, int64_t key);
/* What a warp ended with; NULL: it had no tile. */
const struct view_tile *view_scores_last(const struct view_scores *, int warp);

#endif
