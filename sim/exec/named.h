/* named.h - barriers of a block that have a number and a count of threads. Private to sim/exec/. */
#ifndef SIM_NAMED_H
#define SIM_NAMED_H

struct block;

/* The block begins: nobody waits. A lane of it has exited. */
void named_begin(struct block *);
void named_exit(struct block *);

#endif
