/* block.h - a resident block: its thread indices and its shared memory. Private to sim/. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct block;
struct grid;

struct block *block_create(void);
void block_destroy(struct block *);                                     /* NULL is allowed */
bool block_begin(struct block *, struct grid *, uint64_t order);        /* false: out of memory */

#endif
