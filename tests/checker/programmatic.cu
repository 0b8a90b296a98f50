/* programmatic.cu - kernels that access memory before they wait for the launch before them.
 *
 * Each has a clean twin. test_check_launches.c launches them after another kernel of this file. One
 * block of 8 threads, or a cluster of two; x, y: [8].
 */
#include "kernels/kernel.h"
#include "sim/cuda/async.h"
#include "sim/cuda/cluster.h"
#include "sim/cuda/programmatic.h"

#define T ((int)threadIdx.x)

/* --- the launch before --- */

KERNEL launch_copy(const int *x, int *y, int *flag)
{
	grid_let_next();
	grid_wait();
	y[T] = x[T];
}
KERNEL launch_copy_late(const int *x, int *y, int *flag)
{
	grid_wait();
	grid_let_next();
	y[T] = x[T];
}
KERNEL launch_copy_only(const int *x, int *y, int *flag)
{
	y[T] = x[T];
}

/* --- launches that may begin early --- */

KERNEL early_read(const int *x, int *y, int *flag)
{
	int value = x[T];                                       /* BUG */

	grid_wait();
	y[T] = value;
}
KERNEL early_read_clean(const int *x, int *y, int *flag)
{
	grid_wait();
	y[T] = x[T];
}

KERNEL early_write(const int *x, int *y, int *flag)
{
	y[T] = T;                                               /* BUG */
	grid_wait();
	y[T] += x[T];
}
KERNEL early_write_clean(const int *x, int *y, int *flag)
{
	grid_wait();
	y[T] = T;
	y[T] += x[T];
}

/* Two reads of a word by one thread, of which only the first is too early. */
KERNEL early_once(const int *x, int *y, int *flag)
{
	int value = x[T];                                       /* BUG */

	grid_wait();
	y[T] = value == x[T];
}
KERNEL early_once_clean(const int *x, int *y, int *flag)
{
	grid_wait();
	y[T] = x[T] == x[T];
}

KERNEL early_never(const int *x, int *y, int *flag)
{
	y[T] = x[T];                                            /* BUG */
}
KERNEL early_never_clean(const int *x, int *y, int *flag)
{
	grid_wait();
	y[T] = x[T];
}

/* One thread waits for all, but they do not meet. */
KERNEL early_others(const int *x, int *y, int *flag)
{
	__syncthreads();
	if (T == 0)
		grid_wait();
	y[T] = x[T];                                            /* BUG */
}
KERNEL early_others_clean(const int *x, int *y, int *flag)
{
	if (T == 0)
		grid_wait();
	__syncthreads();
	y[T] = x[T];
}

/* A flag orders the others after the thread that has waited; without fences it does not. */
KERNEL early_flag(const int *x, int *y, int *flag)
{
	if (T == 0) {
		grid_wait();
		atomicExch(flag, 1);
	} else {
		while (atomicAdd(flag, 0) == 0)
			;
	}
	y[T] = x[T];                                            /* BUG */
}
KERNEL early_flag_clean(const int *x, int *y, int *flag)
{
	if (T == 0) {
		grid_wait();
		__threadfence();
		atomicExch(flag, 1);
	} else {
		while (atomicAdd(flag, 0) == 0)
			;
		__threadfence();
	}
	y[T] = x[T];
}

/* The copy reads while the thread waits. */
KERNEL early_async(const int *x, int *y, int *flag)
{
	__shared__ __align__(16) int s[8];

	if (T < 2)
		async_copy16(&s[4 * T], &x[4 * T]);             /* BUG */
	grid_wait();
	async_commit();
	async_wait(0);
	__syncthreads();
	y[T] = s[T];
}
KERNEL early_async_clean(const int *x, int *y, int *flag)
{
	__shared__ __align__(16) int s[8];

	grid_wait();
	if (T < 2)
		async_copy16(&s[4 * T], &x[4 * T]);
	async_commit();
	async_wait(0);
	__syncthreads();
	y[T] = s[T];
}

/* The other block of the cluster waits. */
KERNEL early_cluster(const int *x, int *y, int *flag)
{
	if (cluster_rank() == 0)
		grid_wait();
	if (cluster_rank() == 1)
		y[T] = x[T];                                    /* BUG */
	cluster_sync();
}
KERNEL early_cluster_clean(const int *x, int *y, int *flag)
{
	if (cluster_rank() == 0)
		grid_wait();
	cluster_sync();
	if (cluster_rank() == 1)
		y[T] = x[T];
}
