/* check_home.h - what the releases of a synchronization variable order for threads of the same
 * block, without a search through all releases and their fences. Used by check_order.c.
 */
#ifndef CHECK_HOME_H
#define CHECK_HOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/check/check_learn.h"

struct check;
struct check_phase;
struct fences;
struct home_steps;

/* A fence: everything before it in its thread, and everything ordered before that. */
struct fence {
	uint32_t block;
	bool device;                    /* otherwise for the threads of its block */
	unsigned thread;
	uint32_t own, bound, warp_bound;        /* segments below, as in struct check_lane */
	const uint32_t *known;          /* NULL: none */
	const struct check_phase *phase;        /* the same; of a fence for the device */
	unsigned rank;                  /* of its block in its cluster */
	/* Of a fence for the device: what its thread had acquired, also within its block. */
	struct learned_list learned, learned_in_block;
};

/* Memory of the launch. Threads of one block released at one variable. */
struct home {
	struct home *next;              /* of another block at the same variable */
	uint32_t block;
	struct learned_list known, known_in_block;      /* by all these releases */
	const struct fences *met;       /* those added last */
	struct home_steps *all;         /* for segments of any thread of the block */
	struct home_steps *warps[32];   /* [32] each, for segments of each of its threads */
};

struct home *home_find(struct home *first, uint32_t block);     /* NULL: none */
/* A release, the variable's `number`th from 1 on, has this fence of a thread of the block. */
void home_add_fence(struct check *, struct home *, size_t number, const struct fence *);
/* Whether one of the variable's first `count` releases orders the segment of that thread. */
bool home_orders(const struct home *, size_t count, unsigned thread, uint32_t segment);

#endif
