/* listener.h - what the threads of a launch tell the checker, and what it keeps in each of them.
 *
 * The one way from here to the checker, which lies above (sim/check/) and fills in the calls. A
 * launch that is not checked has no listener. One launch with a listener runs at a time, on one OS
 * thread.
 */
#ifndef SIM_LISTENER_H
#define SIM_LISTENER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"

struct block;
struct check_memory_order;
struct lane;
struct meeting;
struct warp;
struct worker;

struct listener {
	const struct listener_calls *calls;
};

struct listener_calls {
	/* Shared memory of a block, which stays the listener's; NULL without one. */
	void *(*arena)(struct listener *, size_t bytes);
	/* `bytes` of shared memory from view.shared on, none of them written yet. */
	void (*block_begin)(struct listener *, struct block *, size_t static_bytes,
			    size_t dynamic_bytes);
	/* A thread is about to wait at, or complete, a block barrier; the barrier completes. */
	void (*barrier_arrive)(struct listener *, struct lane *);
	void (*barrier_release)(struct listener *, struct block *);
	/* A lane arrives at a warp collective with this mask; a collective is complete. */
	void (*collective_arrive)(struct listener *, struct lane *, enum ft_collective,
				  uint32_t mask);
	void (*collective_finish)(struct listener *, struct warp *, const struct meeting *);
	/* A shuffle of `lane` reads lane `source` of its warp, which takes no part. */
	void (*shuffle_nobody)(struct listener *, struct lane *, unsigned source);
	/* Another thread is about to run: what this one did is judged as its own. */
	void (*pause)(struct listener *);
	/* device: for all blocks; else for the threads of one. */
	void (*fence)(struct listener *, struct lane *, bool device);
	/* An asynchronous copy by the running lane begins, and lands; `copied` bytes come from
	 * `from`. */
	void (*async_begin)(struct listener *, void *to, const void *from, size_t bytes,
			    size_t copied, uintptr_t pc);
	void (*async_end)(struct listener *, void *to, const void *from, size_t bytes,
			  size_t copied, uintptr_t pc);
	void (*deadlock)(struct listener *, const struct worker *);
	/* In a signal handler: a floating-point trap at pc, and the one after the instruction
	 * there. True when it was the listener's own. */
	bool (*trap)(const siginfo_t *, void *context, uintptr_t pc);
	bool (*stepped)(void *context);
};

/* LISTENER_TELL(listener, pause): the call, when there is a listener. */
#define LISTENER_TELL(listener, call, ...) \
	((listener) ? (listener)->calls->call((listener), ##__VA_ARGS__) : (void)0)

/* What the checker keeps in every thread of a checked launch. The life of a thread is cut into
 * segments wherever it synchronizes. Segments are numbered in the order they begin, 32 to a slice
 * (one for each lane of a warp), so that comparing numbers settles most questions of order. See
 * sim/check/check_state.h. */
struct check_lane {
	uint64_t record;                /* of an access by it now at place 0 */
	uint32_t segment;               /* it is in now */
	uint32_t block_first;           /* the first of its block */
	uint32_t bound;                 /* those of its block below have ended before this one */
	uint32_t warp_bound;            /* the same of its warp */
	uint32_t *known;                /* and of single lanes of its warp: [32], NULL: none */
	uintptr_t pc;                   /* of the basic block it was in when it met others last */
	struct check_memory_order *order;       /* fences and atomics; NULL: none so far */
};

#endif
