/* finding.h - a finding: its class and its two sides. Private to the checker. */
#ifndef SIM_FINDING_H
#define SIM_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel_lint.h"
#include "sim/check/check.h"

/* X(name, class, lint, why it is a hazard, what usually fixes it). Names are stored in traces.
 * Classes that are specific to one kernel come last. */
#define CLASS_LIST(X) \
	X(OOB, "oob", false, "the access is outside the allocation: on a GPU it faults or " \
	  "silently hits other data", \
	  "compare the index with the size before the access, and the launch with the arrays") \
	X(MISALIGNED, "misaligned", false, "the address is not a multiple of the size of the " \
	  "access: a GPU ends the launch with error 716", \
	  "align the pointer, or access smaller elements") \
	X(CONSTANT_WRITE, "constant-write", false, "kernels may only read __constant__ " \
	  "variables: a GPU faults, or keeps the old value", \
	  "write it from the host, or make it a __device__ variable") \
	X(UNINIT, "uninit", false, "these bytes were never written: the value is whatever " \
	  "was left there", \
	  "write before reading, or guard the read like the write") \
	X(RACE_SHARED, "race-shared", false, "no barrier orders these two accesses of shared " \
	  "memory: which one comes first is up to the warp scheduler", \
	  "put __syncthreads(), or __syncwarp() within one warp, between them") \
	X(RACE_CLUSTER, "race-cluster", false, "no barrier of the cluster orders these two " \
	  "accesses of shared memory by threads of two of its blocks, which run at the same time", \
	  "put cluster_sync(), or an arrival and a wait, between them") \
	X(CLUSTER_LIFETIME, "cluster-lifetime", false, "the shared memory of another block is " \
	  "there only while that block runs: a GPU faults, or hits other data", \
	  "call cluster_sync() before the first access, and after the last one before any block " \
	  "returns") \
	X(RACE_BLOCK, "race-block", false, "no barrier orders these two accesses of global " \
	  "memory by threads of one block", \
	  "put __syncthreads() between them, or give each thread its own element") \
	X(RACE_GRID, "race-grid", false, "blocks run at the same time and nothing orders these " \
	  "two accesses", \
	  "use atomics, a second launch, or __threadfence() on both sides of an atomic flag") \
	X(RACE_STREAM, "race-stream", false, "no stream, event or edge of a graph orders these " \
	  "two operations, and the host waited for neither: on a GPU they overlap", \
	  "put both on one stream, wait for an event recorded after the first, or add the edge") \
	X(RACE_LAUNCH, "race-launch", false, "this launch may begin before the one before it " \
	  "in its stream has ended, and nothing orders what it does before it waits for that", \
	  "call grid_wait() before it") \
	X(STALE_GRAPH_ARG, "stale-graph-arg", false, "a graph launches with the values its nodes " \
	  "were created with, and this one has changed since", \
	  "keep the value in device memory and update it before each launch, or create the " \
	  "graph again") \
	X(CAPTURE_FORBIDDEN, "capture-forbidden", false, "the operation is not allowed during a " \
	  "capture, and may also invalidate the capture", \
	  "do it before the capture begins or after it ends; copy asynchronously on the " \
	  "capturing stream") \
	X(BARRIER_DIVERGENCE, "barrier-divergence", false, "not all threads of the block reach " \
	  "the same barrier: a GPU hangs or lets them pass unordered", \
	  "move the barrier out of the condition, and return only after the last one") \
	X(DEADLOCK, "deadlock", false, "every thread waits and none can continue", \
	  "make sure that all threads a barrier or mask waits for reach it") \
	X(MASK, "mask", false, "the mask does not say which lanes take part: results are " \
	  "undefined", \
	  "compute the mask before the branch with __ballot_sync(), and give all its lanes the " \
	  "same") \
	X(LEAK, "leak", false, "the buffer was never freed", "free what was allocated") \
	X(EQUAL_VALUE_RACE, "equal-value-race", true, "two threads write the same value " \
	  "unordered: harmless only as long as the values stay equal", \
	  "let one thread write it") \
	X(NAN_BORN, "nan-born", true, "an operation on numbers gave a NaN here: inf - inf, " \
	  "0 * inf, 0 / 0 and the like", \
	  "guard the operand: treat exp(-inf - -inf) as 0, and do not divide by a sum of 0") \
	KERNEL_LINT_LIST(X)

enum finding_class {
#define X(name, ...) CLASS_##name,
	CLASS_LIST(X)
#undef X
	CLASS_COUNT,
	CLASS_OF_KERNELS = CLASS_COUNT - (int)KERNEL_LINT_COUNT         /* enum kernel_lint_class */
};

/* One side of a finding. */
struct check_side {
	uintptr_t pc;                   /* return address of the hook; 0: none */
	const struct ft_site *site;     /* of a collective; NULL: none */
	const char *what;               /* "read", "write", "atomic" */
	int64_t block;                  /* linear; -1: no thread */
	unsigned thread;                /* in the block */
	unsigned epoch;                 /* block barriers it had passed */
	char operation[96];             /* "upload on stream 2"; "": a thread of the launch */
	struct check_launch launch;     /* of the operation; code NULL: not a launch */
};

struct check_report {
	enum finding_class class;
	struct check_side side, other;  /* other.block -1 with no pc and site: none */
	uintptr_t address;              /* 0: none */
	size_t bytes;
	bool variable;                  /* `address` is in a __device__ or __constant__ variable */
	char detail[160];               /* "16 bytes past the end of out (f32 ...)" */
};
#define NO_SIDE ((struct check_side){ .block = -1 })

#endif
