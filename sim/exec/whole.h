/* whole.h - blocks whose threads all run on one stack, in parts between barriers. Private to sim/.
 *
 * Only users' kernels have that form (sim/cu2c/rewrite_lanes.c), and only in order, with nothing
 * that listens, and outside clusters. Threads run in the order in which they would with a stack
 * each, so that results are the same, also those of a race.
 */
#ifndef SIM_WHOLE_H
#define SIM_WHOLE_H

struct block;
struct grid;

/* The block, which is set up but for this, begins: lets its first thread run all, if possible. */
void whole_begin(struct block *, const struct grid *);
void whole_free(struct block *);

#endif
