/* async.h - asynchronous copies of a lane, and bulk copies of a block, cleared when a block is set
 * up. Private to sim/. */
#ifndef SIM_ASYNC_H
#define SIM_ASYNC_H

#include <stdbool.h>

struct block;
struct lane;

void async_reset(struct lane *);                /* forgets all copies; lane->async is not NULL */
void async_free(struct lane *);
void async_reset_block(struct block *);         /* the same; block->bulk is not NULL */
void async_free_block(struct block *);
/* Whether a copy to another block of its cluster has yet to read the block's shared memory. */
bool async_reads_from(const struct block *);

#endif
