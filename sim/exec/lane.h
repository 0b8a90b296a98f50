/* lane.h - the threads of a block: lanes, their warps, and where they meet. Private to sim/. */
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"
#include "sim/exec/cluster.h"
#include "sim/exec/listener.h"
#include "sim/exec/path.h"

struct async_queue;
struct bulk_loads;
struct fiber;
struct named_barrier;
struct requests;
struct whole;

#define WARP_LANES 32
#define MAX_WARPS 32                    /* 1024 threads */

/* The volatile reads that a thread made last. */
struct lane_polled {
	const void *at;
	uint64_t value;
	bool known;
};
struct lane_poll {
	struct lane_polled polled[2];
	unsigned reads;                 /* since it last let others run */
};

/* What a thread that waits and runs again touches is in the first cache line. */
struct lane {
	struct ft_thread_view view;     /* first: ft_self points here */
	struct warp *warp;
	struct fiber *fiber;            /* NULL until the lane starts */
	const struct ft_site *site;     /* where it waits, or waited last */
	uint32_t bit;                   /* 1 << lane number */
	const struct call_path *path;   /* by which it came to the __activemask() where it waits */
	struct ft_loop *loops;          /* that it is in and that count turns, innermost first */
	struct check_lane check;        /* in a checked launch */
	struct lane_poll poll;
	unsigned arrivals, waits;       /* at the barrier of its cluster */
	bool fenced;                    /* since it arrived there */
	struct async_queue *async;      /* pending copies; NULL if it never made one */
} __attribute__((aligned(64)));

/* Lanes of one warp that call the same collective with the same mask. */
struct meeting {
	enum ft_collective kind;
	uint32_t mask, arrived;
};

struct warp {
	struct block *block;
	unsigned number;
	uint32_t runnable;              /* lanes that may run, including the running one */
	uint32_t exited;                /* includes lanes that never existed */
	uint32_t at_barrier;            /* waiting at the block barrier */
	uint32_t at_active;             /* waiting at an __activemask() */
	uint32_t at_grid;               /* waiting at a barrier of the grid */
	uint32_t at_arrivals;           /* waiting until all blocks have arrived at the grid's */
	uint32_t at_cluster;            /* waiting at the barrier of its cluster */
	bool direct;                    /* in order, and nothing listens: see collective.c */
	int meeting_count;
	struct meeting meetings[WARP_LANES];
	/* Of each lane at its collective. */
	uint64_t values[WARP_LANES], results[WARP_LANES];
	uint32_t arguments[WARP_LANES];
	/* In a counted launch: the memory requests, and the basic block each lane entered last. */
	struct requests *requests;
	uintptr_t last_block[WARP_LANES];
	struct lane lanes[WARP_LANES];
};

struct block {
	struct ft_block_view view;
	uint64_t order;                 /* position in the launch's order of blocks */
	unsigned threads, alive, warp_count;
	unsigned arrived, votes;        /* at the block barrier; votes: with a true predicate */
	unsigned passed_arrived, passed_votes;  /* at the barrier that completed last */
	unsigned char *arena;           /* shared memory, ends at a guard page */
	size_t arena_bytes, guard_bytes;
	bool arena_closed;              /* an access faults: cluster.c */
	/* In a checked launch: barriers passed, and the lane that arrived first at the current
	 * one. */
	unsigned check_epoch;
	struct lane *check_first;
	struct call_path check_path;    /* by which it came */
	bool check_waited, check_let;   /* a thread called grid_wait(), grid_let_next() */
	bool arena_lent;                /* the arena belongs to the listener */
	struct warp *warps;             /* MAX_WARPS */
	uint64_t tile_values[MAX_WARPS];
	struct whole *whole;            /* NULL: none of its launches could use it */
	struct bulk_loads *bulk;        /* copies that wait for barriers; NULL: none so far */
	struct cluster *cluster, own_cluster;   /* its cluster, which may be its own */
	struct named_barrier *named;    /* FT_NAMED_BARRIERS; NULL: none so far */
};

static inline unsigned lane_index(const struct lane *lane)
{
	return (unsigned)__builtin_ctz(lane->bit);
}

/* The running lane; NULL outside kernels. */
static inline struct lane *lane_current(void)
{
	return (struct lane *)(uintptr_t)ft_self;
}

#endif
