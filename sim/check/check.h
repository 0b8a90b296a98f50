/* check.h - the checker: finds memory and ordering bugs of kernels that a simulated device runs.
 *
 * Checked kernels are compiled so that every load, store, array index and basic block calls a hook
 * (sim/check/check_hooks.c). Device memory of a checked device lies in one reserved range of addresses
 * with shadow memory beside it (check_map.c), which says of every word which bytes are allocated
 * and written, who wrote it last and who read it. check_race.c holds the rules of order,
 * check_sync.c those of barriers and masks, check_find.c the findings. One checked launch runs at a
 * time, on one OS thread. Nothing here changes what a kernel computes.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "sim/cuda/runtime.h"

struct block;
struct check;
struct row_counters;
struct row_finding;
struct lane;
struct meeting;
struct warp;
struct worker;

/* DEVICE with error_code() 2 when no range of addresses can be reserved. */
enum status check_create(struct check **out);
void check_destroy(struct check *);                     /* NULL is fine */
/* Before the first launch: counts what launches do (sim/check/counters.h). */
void check_count(struct check *);

/* --- device memory --- */

/* Memory for a buffer, poisoned, far from any other: see check_map.c. DEVICE (2) when there is
 * none. */
enum status check_map(struct check *, uint32_t buffer, const char *name, size_t bytes, void **out);
/* The buffer is freed: touching it is a finding from now on. */
void check_unmap(struct check *, void *memory);
/* Something other than a kernel wrote these bytes. */
void check_written(struct check *, const void *memory, size_t bytes);
/* They were copied, and are as much written as their source. */
void check_copied(struct check *, const void *to, const void *from, size_t bytes);
/* Shared memory of a block; NULL without one. */
void *check_map_arena(struct check *, size_t bytes);
/* Names every buffer that was not freed. */
void check_leaks(struct check *);

/* --- launches --- */

struct check_launch {
	int64_t number;
	const struct sim_code *code;
	struct dim3 grid, block;
	void *const *args;                      /* of code's parameters; while the launch runs */
};
void check_launch_begin(struct check *, const struct check_launch *);
void check_launch_end(struct check *);

/* The launch that just ended merged `count` partials of head_dim accumulators, a maximum and a sum
 * each: accumulators it read of empty ones are a lint. */
void check_splits(struct check *, const float *partials, uint64_t count, uint64_t head_dim);

/* --- events of a running launch, told by the simulator --- */

/* `bytes` of shared memory from view.shared on, none of them written yet. */
void check_block_begin(struct check *, struct block *, size_t static_bytes, size_t dynamic_bytes);
/* A thread is about to wait at, or complete, a block barrier; the barrier completes. */
void check_barrier_arrive(struct check *, struct lane *);
void check_barrier_release(struct check *, struct block *);
/* A lane arrives at a warp collective with this mask; a collective is complete. */
void check_collective_arrive(struct check *, struct lane *, enum ft_collective, uint32_t mask);
void check_collective_finish(struct check *, struct warp *, const struct meeting *);
/* A shuffle of `lane` reads lane `source` of its warp, which takes no part. */
void check_shuffle_nobody(struct check *, struct lane *, unsigned source);
/* Another thread is about to run: what this one did is judged as its own. */
void check_pause(struct check *);
/* A floating-point trap at pc, and the one after the instruction there: true when it was the
 * checker's own. In a signal handler. */
bool check_trap(const siginfo_t *, void *context, uintptr_t pc);
bool check_stepped(void *context);
/* An asynchronous copy by the running lane begins, and lands; `copied` bytes come from `from`. */
void check_async_begin(struct check *, void *to, const void *from, size_t bytes, size_t copied,
		       uintptr_t pc);
void check_async_end(struct check *, void *to, const void *from, size_t bytes, size_t copied,
		     uintptr_t pc);
void check_deadlock(struct check *, const struct worker *);
/* device: for all blocks; else for the threads of one. */
void check_fence(struct check *, struct lane *, bool device);

/* --- results --- */

/* Names of classes of findings by number, from 0 on; NULL behind the last. */
const char *check_class_name(size_t number);
/* All findings so far, source lines resolved; good until the next call of anything here. */
size_t check_findings(struct check *, const struct row_finding **out);
/* Counters of all launches so far, in order; none without check_count(). */
size_t check_counters(struct check *, const struct row_counters **out);

#endif
