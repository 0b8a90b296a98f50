/* lane.h - the threads of a block: lanes, their warps, and where they meet. Private to sim/. */
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"
#include "sim/exec/listener.h"

struct async_queue;
struct fiber;
struct requests;

#define WARP_LANES 32
#define MAX_WARPS 32                    /* 1024 threads */

struct lane {
	struct ft_thread_view view;     /* first: ft_self points here */
	struct warp *warp;
	struct fiber *fiber;            /* NULL until it starts */
	uint32_t bit;                   /* 1 << lane number */
	uint32_t argument;              /* of the collective it waits in */
	uint64_t value, result;
	const struct ft_site *site;     /* where it waits or waited last */
	struct check_lane check;        /* of a checked launch */
	struct async_queue *async;      /* copies under way; NULL: it never asked for one */
};

/* Lanes of one warp that ask for the same collective with the same mask. */
struct meeting {
	enum ft_collective kind;
	uint32_t mask, arrived;
};

struct warp {
	struct block *block;
	unsigned number;
	uint32_t runnable;              /* lanes that may run, the running one among them */
	uint32_t exited;                /* and those that never existed */
	uint32_t at_barrier;            /* waiting at the block barrier */
	int meeting_count;
	struct meeting meetings[WARP_LANES];
	/* Of a counted launch: by lane, the basic block it entered last. */
	struct requests *requests;
	uintptr_t last_block[WARP_LANES];
	struct lane lanes[WARP_LANES];
};

struct block {
	struct ft_block_view view;
	uint64_t order;                 /* its place in the launch's order of blocks */
	unsigned threads, alive, warp_count;
	unsigned arrived, votes;        /* at the block barrier; of those, with a true predicate */
	unsigned passed_arrived, passed_votes;  /* of the barrier that completed last */
	unsigned char *arena;           /* shared memory, ends at a guard page */
	size_t arena_bytes;
	/* Of a checked launch: barriers passed, and who came first to the one under way. */
	unsigned check_epoch;
	struct lane *check_first;
	bool arena_lent;                /* the arena belongs to the listener */
	struct warp *warps;             /* MAX_WARPS */
};

/* The running lane; NULL outside of kernels. */
static inline struct lane *lane_current(void)
{
	return (struct lane *)(uintptr_t)ft_self;
}

#endif
