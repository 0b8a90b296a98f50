/* worker.h - an OS thread that runs blocks, the launch it works on, and aborting that launch.
 *
 * schedule.c decides which lane runs next. Private to sim/.
 */
#ifndef SIM_WORKER_H
#define SIM_WORKER_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "sim/exec/fiber.h"
#include "sim/exec/lane.h"

/* Blocks of one worker, but for a cooperative launch without a listener. */
#define MAX_RESIDENT 64

struct worker {
	struct grid *grid;
	void (*errand)(void *context);  /* for the OS thread: schedule_on_thread() */
	void *errand_context;
	struct fiber thread;            /* the OS thread's own context */
	struct fiber_pool pool;
	struct block **blocks;          /* NULL where none was needed so far */
	int capacity;
	int resident;                   /* blocks[0 .. resident) are not finished */
	uint64_t random;
	unsigned idle_yields;           /* since the last event that could unblock another lane */
	unsigned idle_polls;            /* reads of unchanged values since then */
	uint64_t clock;                 /* steps since it was first read; see ft_clock() */
	sigjmp_buf landing;             /* where execution continues after a fault */
	struct fault {
		void *address, *pc;
		int signal;             /* 0: of worker_abort_at() */
		int code;               /* CUDA's error; 0: no fault */
		char text[200];
	} fault;
};

/* One launch. `order` counts blocks taken; every worker takes the next cluster of them. */
struct grid {
	const struct sim_code *code;
	void *const *args;
	struct dim3 dim, block, cluster;
	unsigned cluster_size;          /* blocks of a cluster */
	uint64_t blocks;
	size_t static_bytes, dynamic_bytes;
	const struct point_sink *points;
	bool independent, cooperative;
	bool other_clock;               /* see device_options */
	/* Blocks that have arrived at the barrier of the grid, and how often all have. */
	uint64_t arrived;
	unsigned phase;
	struct listener *listener;      /* NULL: not checked */
	struct nested *nested;          /* launches by device code */
	struct device_heap *heap;
	uint64_t seed;                  /* of this launch: the device's seed mixed with its count */
	_Atomic uint64_t next;
	_Atomic uint64_t stop;          /* blocks from this order on are not started */
	/* The first failure in block order; guarded by the mutex in worker.c. */
	uint64_t failed_order;
	int failed_code;
	char failed_text[600];
};

extern _Thread_local struct worker *worker_self;

/* The launch fails in the block at position `order`; the failure earliest in order is kept. */
void worker_fail(struct grid *, uint64_t order, int code, const char *text);
/* Ends the launch from inside a lane; does not return. */
void worker_abort(struct worker *, int code, const char *text) __attribute__((noreturn));
/* The same for a wrong access, error 700 or 716, of the running lane by the call that returns to
 * pc: the message also names the kernel, the thread and the line. */
void worker_abort_at(struct worker *, int code, uintptr_t pc, const char *text)
	__attribute__((noreturn));

/* Something happened that other lanes may wait for. */
static inline void worker_progress(struct worker *w)
{
	w->idle_yields = w->idle_polls = 0;
}

#endif
