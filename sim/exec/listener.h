/* listener.h - events that a launch reports to the checker, and the checker's state in each thread.
 *
 * This is the only link from sim/exec/ to the checker (sim/check/), which implements the calls. An
 * unchecked launch has no listener. Launches with a listener run one at a time, on one OS thread.
 */
#ifndef SIM_LISTENER_H
#define SIM_LISTENER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cuda/runtime.h"

struct block;
struct cluster;
struct check_copy;
struct check_looks;
struct check_memory_order;
struct check_phase;
struct heap;
struct lane;
struct meeting;
struct warp;
struct worker;

struct listener {
	const struct listener_calls *calls;
};

#define LISTENER_ARENA (256u << 10)     /* larger than any device's limit */

struct listener_calls {
	/* Shared memory for a block, whole pages, owned by the listener; NULL if out of memory. */
	void *(*arena)(struct listener *, size_t bytes);
	/* A block begins; its shared memory starts at view.shared and is unwritten. */
	void (*block_begin)(struct listener *, struct block *, size_t static_bytes,
			    size_t dynamic_bytes);
	/* A thread is about to wait at, or complete, a block barrier, whose function has this
	 * frame; the barrier completes. */
	void (*barrier_arrive)(struct listener *, struct lane *, const void *frame);
	void (*barrier_release)(struct listener *, struct block *);
	/* A thread arrives at a barrier with a number, which is in this place, or, device, at that
	 * of the grid, for its block; one that has waited there goes on. */
	void (*named_arrive)(struct listener *, struct lane *, const void *barrier, bool device);
	void (*named_leave)(struct listener *, struct lane *, const void *barrier, bool device);
	/* A thread arrives at the barrier of its cluster; the barrier completes; a thread has
	 * waited there. A block has exited before others of its cluster. */
	void (*cluster_arrive)(struct listener *, struct lane *, bool releases);
	void (*cluster_release)(struct listener *, struct cluster *);
	void (*cluster_leave)(struct listener *, struct lane *);
	void (*cluster_exit)(struct listener *, struct block *);
	/* A barrier of the grid completes: every thread has passed one of its block before. */
	void (*grid_release)(struct listener *, const struct worker *);
	/* A lane lets the next launch of the stream begin; it has waited for the one before. */
	void (*let_next)(struct listener *, struct lane *);
	void (*grid_waited)(struct listener *, struct lane *);
	/* A lane arrives at a warp collective with this mask; a collective is complete. */
	void (*collective_arrive)(struct listener *, struct lane *, enum ft_collective,
				  uint32_t mask);
	void (*collective_finish)(struct listener *, struct warp *, const struct meeting *);
	/* A shuffle of `lane` reads lane `source` of its warp, which does not take part. */
	void (*shuffle_inactive)(struct listener *, struct lane *, unsigned source);
	/* Another thread is about to run: a pending write of this one must be judged now. */
	void (*pause)(struct listener *);
	/* device: orders for all blocks; otherwise for the threads of one block. */
	void (*fence)(struct listener *, struct lane *, bool device);
	/* The running lane makes a bulk copy; its pieces follow, each as an asynchronous copy. */
	void (*bulk_begin)(struct listener *, void *to, const void *from, size_t bytes,
			   uintptr_t pc);
	/* An asynchronous copy by the running lane begins, which may be a piece of a bulk copy, and
	 * one that `began` began completes; `copied` bytes come from `from`. */
	void (*async_begin)(struct listener *, void *to, const void *from, size_t bytes,
			    size_t copied, bool piece, uintptr_t pc);
	void (*async_end)(struct listener *, struct lane *began, void *to, const void *from,
			  size_t bytes, size_t copied, uintptr_t pc);
	/* The heap of kernels, made with so many bytes at the first call, NULL if out of memory; a
	 * kernel got these bytes of it, or freed them. */
	struct heap *(*heap)(struct listener *, size_t bytes);
	void (*heap_use)(struct listener *, const void *memory, size_t bytes, bool used);
	void (*deadlock)(struct listener *, const struct worker *);
	/* In a signal handler: a floating-point trap at pc, and the single-step trap after the
	 * instruction there. True if the listener caused the trap. */
	bool (*trap)(const siginfo_t *, void *context, uintptr_t pc);
	bool (*stepped)(void *context);
};

/* LISTENER_CALL(listener, pause): makes the call if there is a listener. */
#define LISTENER_CALL(listener, call, ...) \
	((listener) ? (listener)->calls->call((listener), ##__VA_ARGS__) : (void)0)

/* The checker's state in every thread of a checked launch. A thread's execution is divided into
 * segments at each synchronization. Segments are numbered in the order they begin, 32 to a slice
 * (one for each lane of a warp), so comparing numbers is enough to order most accesses. See
 * sim/check/check_state.h. */
struct check_lane {
	uint64_t record;                /* record of an access made now at place 0 */
	uint32_t segment;               /* the current segment */
	uint32_t block_first;           /* first segment of its block */
	uint32_t bound;                 /* lower segments of its block are before this one */
	uint32_t warp_bound;            /* the same for segments of its warp */
	uint32_t *known;                /* the same for single lanes of its warp: [32] or NULL */
	uintptr_t pc;                   /* basic block in which it last synchronized */
	uint32_t mask, collectives;     /* of its last collective; how many it has arrived at */
	struct check_memory_order *order;       /* fences and atomics; NULL: none so far */
	struct check_looks *looks;      /* atomics and volatile accesses; NULL: none so far */
	int64_t looks_launch;           /* the launch that `looks` belongs to: check->begun */
	struct check_copy *copies;      /* its asynchronous copies that are not complete */
	bool waited;                    /* for the launch before: see sim/check/check_early.c */
	const struct check_phase *phase;        /* of its cluster's barrier, the last one that it
						   is after; NULL: none */
};

#endif
