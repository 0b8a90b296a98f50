/* diff_walk.h - finds the operations of two runs that belong together.
 *
 * Used by diff_ops.c, and by the joins of rows about operations.
 */
#ifndef DIFF_WALK_H
#define DIFF_WALK_H

#include "traces/diff/diff_state.h"
#include "traces/row.h"

/* Steps through those operations of a run that the other run recorded too. */
struct diff_side {
	struct diff *diff;
	int which;
	struct store_cursor *cursor;
	sqlite3_stmt *steps;            /* where the position changes; NULL unless narrowed */
	int64_t next_first_op;          /* of the next row of `steps` */
	int64_t step, launch;           /* position: the last ones begun; -1: none yet */
};

enum status diff_side_open(struct diff_side *, struct diff *, int which);
enum status diff_side_next(struct diff_side *, struct row_op *, int64_t *number, bool *end);
void diff_side_close(struct diff_side *);

/* For `common` of struct diff_join: the first key is an operation, or a launch. */
bool diff_common_op(const struct diff *, int side, int64_t *op);
bool diff_common_launch(const struct diff *, int side, int64_t *launch);
/* The operation of a launch that was compared, as run a numbers it. */
int64_t diff_launch_op(const struct diff *, int64_t launch);

#endif
