/* view_merge.h - how the chunks of one row were merged, and other orders of merging them. */
#ifndef VIEW_MERGE_H
#define VIEW_MERGE_H

#include "tui/views/view_shape.h"

/* A chunk that holds keys, and what the reduction made of it. */
struct view_partial {
	int64_t chunk, key_begin, key_end;
	float max, sum;
	const float *acc;               /* [d] */
	double share;                   /* of the row's softmax */
	float factor, sum_so_far, acc0_so_far;
	int64_t point;                  /* at which the kernel published the last three */
};

struct view_merge {
	const struct view_shape *shape; /* of the launch that merges */
	int64_t slot, head, d;
	int64_t block;                  /* that merges the row; -1: one that attends too */
	struct view_partial *partials;  /* [count] */
	float *acc;                     /* [count][d]: storage of the partials */
	int64_t count, capacity;
	int64_t more;                   /* chunks that hold keys and were not read */
	int64_t points;                 /* chunks whose factor and sums the kernel published */
	bool has_acc0;                  /* acc0_so_far is known */
	int64_t merged;                 /* chunks merged up to the point of the address */
	float max;
	double *exact;                  /* [d] in float64 */
	bool from_keys;                 /* exact is over all keys, not the partials */
	float *one_split;               /* [d] in f32 without a merge; NULL: keys unknown */
	float *out;                     /* [d] of the first run shown; NULL: not recorded */
	bool differs, off;              /* a run differs from `out`; is far off float64 */
};

#define VIEW_MERGE_D 4096               /* elements of a row, at most */

/* Draws the row of the address's block: its merge in the order it happened, the output of every run
 * next to a float64 one, and the same merge in other orders. */
enum status view_merge_draw(const struct view_context *, const struct view_shape *);

/* --- view_merge_steps.c --- */

/* Draws the chunks and how they were merged, up to the point of the address. */
enum status view_merge_steps(const struct view_context *, struct view_merge *);

/* --- view_whatif.c --- */

/* Recomputes exact and one_split from scores and V rows, if the trace has all of them. */
enum status view_whatif_read(const struct view_context *, struct view_merge *);
/* The same partials merged in other orders, and how far each is from float64. */
void view_whatif_draw(const struct view_context *, const struct view_merge *);

#endif
