/* patterns.cu - what code for graphs and work lists does: parents, lists, guards before an atomic.
 *
 * 4 blocks of 64 threads. oob.cu describes the other conventions. Public suites of kernels with
 * planted bugs have these patterns (tests/suites); the kernels here are our own.
 */
#include "kernels/kernel.h"

#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)
#define LANE (T % 32)
#define WARP (T / 32)
#define ALL 0xffffffffu

/* Saves atomics for values that cannot win, but reads beside those of other blocks. */
KERNEL guard_maximum(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && flags[0] < B)                             /* BUG */
		atomicMax(&flags[0], B);
}
KERNEL guard_maximum_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && atomicOr(&flags[0], 0) < B)
		atomicMax(&flags[0], B);
}

/* Each thread replaces its parent by its root, while others walk through it. */
KERNEL guard_parents(const float *x, float *y, int *flags, int n)
{
	int v = T;

	if (B == 0)
		flags[T] = T > 0 ? T - 1 : 0;
	__syncthreads();
	if (B == 0) {
		while (v > flags[v])
			v = flags[v];
		flags[T] = v;                                   /* BUG */
	}
}
KERNEL guard_parents_clean(const float *x, float *y, int *flags, int n)
{
	int v = T;

	if (B == 0)
		flags[T] = T > 0 ? T - 1 : 0;
	__syncthreads();
	if (B == 0) {
		while (v > atomicOr(&flags[v], 0))
			v = atomicOr(&flags[v], 0);
		atomicExch(&flags[T], v);
	}
}

/* The place of a thread's element is the number of those before it. */
KERNEL list_append(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T % 2) {
		int at = flags[0]++;                            /* BUG */
		if (at > n)
			flags[1] = at;
	}
}
KERNEL list_append_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T % 2) {
		int at = atomicAdd(&flags[0], 1);
		if (at > n)
			flags[1] = at;
	}
}

/* An atomic gives each thread a place of its own only if each adds something. */
KERNEL list_places(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 8)
		y[atomicAdd(&flags[0], T % 2)] = (float)T;      /* BUG */
}
KERNEL list_places_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 8)
		y[atomicAdd(&flags[0], 1)] = (float)T;
}

/* The sums of two warps are read as if there were 32. */
KERNEL warps_unwritten(const float *x, float *y, int *flags, int n)
{
	__shared__ int sums[32];

	if (LANE == 0)
		sums[WARP] = T;
	__syncthreads();
	if (WARP == 0)
		atomicAdd(&flags[B], sums[LANE]);               /* BUG */
}
KERNEL warps_unwritten_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int sums[32];

	if (LANE == 0)
		sums[WARP] = T;
	__syncthreads();
	if (WARP == 0)
		atomicAdd(&flags[B], LANE < (int)blockDim.x / 32 ? sums[LANE] : 0);
}

/* A vote of a warp orders no memory; one that is also a barrier of the block does. */
KERNEL vote_orders_nothing(const float *x, float *y, int *flags, int n)
{
	__shared__ int s[64];

	s[T] = T;
	if (__any_sync(ALL, T < n))
		atomicAdd(&flags[B], s[T ^ 1]);                 /* BUG */
}
KERNEL vote_orders_nothing_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int s[64];

	s[T] = T;
	if (__syncthreads_or(T < n))
		atomicAdd(&flags[B], s[T ^ 1]);
}

/* One barrier in a loop: the next round writes what this one still reads. */
KERNEL loop_one_barrier(const float *x, float *y, int *flags, int n)
{
	int sum = 0;

	for (int round = 0; round < 3 && B == 0; round++) {
		flags[T] = round + T;                           /* BUG */
		__syncthreads();
		sum += flags[63 - T];
	}
	if (sum < 0)
		y[0] = 0;
}
KERNEL loop_one_barrier_clean(const float *x, float *y, int *flags, int n)
{
	int sum = 0;

	for (int round = 0; round < 3 && B == 0; round++) {
		flags[T] = round + T;
		__syncthreads();
		sum += flags[63 - T];
		__syncthreads();
	}
	if (sum < 0)
		y[0] = 0;
}

/* The last block resets a counter, but others may come later: only another order shows it. */
KERNEL counter_reset(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		atomicAdd(&flags[0], 1);
		if (B == BLOCKS - 1)
			flags[0] = 0;                           /* BUG */
	}
}
KERNEL counter_reset_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && atomicAdd(&flags[0], 1) == BLOCKS - 1)
		flags[0] = 0;
}

/* The same with a volatile variable that the last block has tested. */
KERNEL volatile_reset(const float *x, float *y, int *flags, int n)
{
	volatile int *done = flags;

	if (T == 0 && B == 0)
		*done = 1;
	if (T == 0 && B == BLOCKS - 1) {
		if (*done != 1)
			y[0] = x[0];
		*done = 2;                                      /* BUG */
	}
}
KERNEL volatile_reset_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *done = flags;

	if (T == 0 && B == 0)
		*done = 1;
	if (T == 0 && B == BLOCKS - 1) {
		while (*done != 1)
			;
		*done = 2;
	}
}
