/* schedule.h - who runs next: lanes, warps and blocks of one launch. Private to sim/.
 *
 * A worker is one OS thread that runs blocks of a grid, one or several resident at a time. Its lanes run
 * until they wait, yield or exit, and then choose their successor themselves; there is no scheduler in
 * between. With seed 0 the order is by number; any other seed draws from all that may legally run.
 */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"
#include "sim/check/check_lane.h"
#include "sim/cuda/runtime.h"
#include "sim/exec/fiber.h"

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
	/* Of a counted launch (sim/check/counters.c): by lane, the basic block it entered last. */
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
	bool arena_checked;             /* the arena belongs to the checker */
	struct warp *warps;             /* MAX_WARPS */
};

#define MAX_RESIDENT 64                 /* blocks of one worker */

struct worker {
	struct grid *grid;
	struct fiber thread;            /* the OS thread's own context */
	struct fiber_pool pool;
	struct block *blocks[MAX_RESIDENT];
	int resident;                   /* blocks[0 .. resident) hold a block that is not finished */
	uint64_t random;
	unsigned idle_yields;           /* since the last thing that could let another lane go on */
	sigjmp_buf landing;             /* where a fault ends */
	struct fault {
		void *address, *pc;
		int signal;
	} fault;
};

/* One launch. `order` counts blocks taken; every worker takes the next. */
struct grid {
	const struct sim_code *code;
	void *const *args;
	struct dim3 dim, block;
	uint64_t blocks;
	size_t static_bytes, dynamic_bytes;
	const struct point_sink *points;
	bool independent;
	struct check *check;            /* NULL: not checked */
	uint64_t seed;                  /* of this launch: mixed from the device's seed and its count */
	_Atomic uint64_t next;
	_Atomic uint64_t stop;          /* blocks from this order on are not started */
	/* The first failure in block order; guarded by the mutex in grid.c. */
	uint64_t failed_order;
	int failed_code;
	char failed_text[600];
};

extern _Thread_local struct worker *worker_self;

/* --- schedule.c --- */
void worker_init(struct worker *);
void worker_destroy(struct worker *);
/* Runs blocks of the grid until none is left or the launch failed. */
void worker_run(struct worker *, struct grid *);
void schedule_wait_elsewhere(struct worker *);  /* schedule_wait() in general */
void schedule_progress(struct worker *);        /* something happened that other lanes may wait for */
/* Ends the launch from inside a lane: never returns. */
void schedule_abort(struct worker *, int code, const char *text) __attribute__((noreturn));
uint64_t schedule_mix(uint64_t a, uint64_t b);

/* The running lane; NULL outside of kernels. */
static inline struct lane *schedule_current(void)
{
	return (struct lane *)(uintptr_t)ft_self;
}

/* The current lane is no longer runnable. In order, the next one of its warp runs: inlined, because
 * lanes that meet in a shuffle come through here one after the other. */
static inline void schedule_wait(struct worker *w)
{
	struct lane *from = schedule_current();
	struct warp *warp = from->warp;

	if (w->grid->seed == 0 && warp->runnable) {
		struct lane *next = &warp->lanes[__builtin_ctz(warp->runnable)];

		if (next->fiber) {
			ft_self = &next->view;
			FIBER_SWITCH(from->fiber, next->fiber);
			return;
		}
	}
	schedule_wait_elsewhere(w);
}

/* --- collective.c --- */
void collective_exit(struct lane *);            /* meetings and barriers no longer wait for this lane */

/* --- async.c --- */
void async_reset(struct lane *);                /* forgets all copies; lane->async is not NULL */
void async_free(struct lane *);

/* --- block.c --- */
struct block *block_create(void);
void block_destroy(struct block *);
bool block_begin(struct block *, struct grid *, uint64_t order);        /* false: no memory */

/* --- grid.c --- */
void grid_fail(struct grid *, uint64_t order, int code, const char *text);

/* --- report.c --- */
void report_deadlock(const struct worker *, char *text, size_t bytes);
void report_fault(const struct worker *, char *text, size_t bytes);
int report_code(const struct worker *);        /* the CUDA error code of the fault */

/* --- fault.c --- */
void fault_install(void);                       /* once per process */
void fault_thread_begin(void);                  /* alternate signal stack of this OS thread */
void fault_thread_end(void);

#endif
