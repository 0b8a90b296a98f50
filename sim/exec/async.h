/* async.h - a lane's asynchronous copies, cleared when a block is set up. Private to sim/. */
#ifndef SIM_ASYNC_H
#define SIM_ASYNC_H

struct lane;

void async_reset(struct lane *);                /* forgets all copies; lane->async is not NULL */
void async_free(struct lane *);

#endif
