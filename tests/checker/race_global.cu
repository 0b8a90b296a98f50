/* race_global.cu - races in global memory, between threads of one block and between blocks.
 *
 * 4 blocks of 64 threads. Blocks are concurrent in whatever order the simulator runs them. oob.cu
 * describes the other conventions.
 */
#include "kernels/kernel.h"

#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)

KERNEL block_exchange(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 32)
		y[T] = x[T];
	if (B == 0 && T >= 32)
		flags[T] = (int)y[T - 32];                      /* BUG */
}
KERNEL block_exchange_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 32)
		y[T] = x[T];
	__syncthreads();
	if (B == 0 && T >= 32)
		flags[T] = (int)y[T - 32];
}

KERNEL block_in_place(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 63)
		flags[T] = flags[T + 1] + T;                    /* BUG */
}
KERNEL block_in_place_clean(const float *x, float *y, int *flags, int n)
{
	int next = B == 0 && T < 63 ? flags[T + 1] + T : 0;

	__syncthreads();
	if (B == 0 && T < 63)
		flags[T] = next;
}

KERNEL block_same_slot(const float *x, float *y, int *flags, int n)
{
	if (B == 0)
		flags[T / 2] = T;                               /* BUG */
}
KERNEL block_same_slot_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T % 2 == 0)
		flags[T / 2] = T;
}

KERNEL block_sum(const float *x, float *y, int *flags, int n)
{
	if (B == 0)
		flags[0] += T;                                  /* BUG */
}
KERNEL block_sum_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0)
		atomicAdd(&flags[0], T);
}

KERNEL block_float4(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 4)
		y[T] = x[T];
	if (B == 0 && T == 40) {
		float4 v = *(const float4 *)y;                  /* BUG */
		flags[0] = (int)v.x;
	}
}
KERNEL block_float4_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T < 4)
		y[T] = x[T];
	__syncthreads();
	if (B == 0 && T == 40) {
		float4 v = *(const float4 *)y;
		flags[0] = (int)v.x;
	}
}

KERNEL grid_same_output(const float *x, float *y, int *flags, int n)
{
	if (T < n)
		y[T] = (float)B;                                /* BUG */
}
KERNEL grid_same_output_clean(const float *x, float *y, int *flags, int n)
{
	if (T < n / BLOCKS)
		y[B * (n / BLOCKS) + T] = (float)B;
}

KERNEL grid_neighbour(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		flags[B] = B + 1;
	if (T == 0 && B > 0)
		y[B] = (float)flags[B - 1];                     /* BUG */
}
KERNEL grid_neighbour_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		flags[B] = B + 1;
	if (T == 0 && B > 0)
		y[B] = (float)flags[B];
}

KERNEL grid_counter(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		flags[0]++;                                     /* BUG */
}
KERNEL grid_counter_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		atomicAdd(&flags[0], 1);
}

KERNEL grid_histogram(const float *x, float *y, int *flags, int n)
{
	if (T < n && T % 8 == B)
		flags[(int)x[T] / 16] += 1;                      /* BUG */
}
KERNEL grid_histogram_clean(const float *x, float *y, int *flags, int n)
{
	if (T < n && T % 8 == B)
		atomicAdd(&flags[(int)x[T] / 16], 1);
}

KERNEL grid_read_then_write(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		y[B] = (float)flags[7];
	if (B == BLOCKS - 1 && T == 5)
		flags[7] = 3;                                   /* BUG */
}
KERNEL grid_read_then_write_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		y[B] = (float)flags[7];
	if (B == BLOCKS - 1 && T == 5)
		flags[8] = 3;
}

/* The last block to arrive reads the results of the others. */
KERNEL grid_last_no_fence(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;

	if (T == 0) {
		y[B] = x[B];
		last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
	}
	__syncthreads();
	if (last && T == 0)
		for (int b = 0; b < BLOCKS; b++)
			y[BLOCKS] = y[b];                       /* BUG */
}
KERNEL grid_last_no_fence_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;

	if (T == 0) {
		y[B] = x[B];
		__threadfence();
		last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
		__threadfence();
	}
	__syncthreads();
	if (last && T == 0)
		for (int b = 0; b < BLOCKS; b++)
			y[BLOCKS] = y[b];
}

/* Every thread writes, so every thread must fence, or thread 0 after the barrier. */
KERNEL grid_last_early_fence(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;

	__threadfence();
	if (T < 8)
		y[B * 8 + T] = x[T];
	__syncthreads();
	if (T == 0)
		last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
	__syncthreads();
	__threadfence();
	if (last && T < 32)
		flags[8 + T] = (int)y[T];                       /* BUG */
}
KERNEL grid_last_early_fence_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;

	if (T < 8)
		y[B * 8 + T] = x[T];
	__threadfence();
	__syncthreads();
	if (T == 0)
		last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
	__syncthreads();
	__threadfence();
	if (last && T < 32)
		flags[8 + T] = (int)y[T];
}

/* As in CUDA's programming guide: no fence after the atomic, but volatile reads. */
KERNEL grid_guide(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;
	volatile float *sums = y;

	if (T == 0) {
		y[B] = x[B];
		last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
		__threadfence();
	}
	__syncthreads();
	if (last && T == 0) {
		float sum = 0.0f;

		for (int b = 0; b < BLOCKS; b++)
			sum += sums[b];                         /* BUG */
		y[0] = sum;
		flags[0] = 0;
	}
}
KERNEL grid_guide_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int last;
	volatile float *sums = y;

	if (T == 0) {
		y[B] = x[B];
		__threadfence();
		last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
	}
	__syncthreads();
	if (last && T == 0) {
		float sum = 0.0f;

		for (int b = 0; b < BLOCKS; b++)
			sum += sums[b];
		y[0] = sum;
		flags[0] = 0;
	}
}

/* A reader without a fence may get a stale value from its cache. */
KERNEL grid_no_acquire(const float *x, float *y, int *flags, int n)
{
	if (T != 0)
		return;
	if (B == 0) {
		y[0] = x[0];
		__threadfence();
		atomicExch(&flags[0], 1);
	} else {
		while (atomicAdd(&flags[0], 0) == 0)
			;
		y[B] = y[0];                                    /* BUG */
	}
}
KERNEL grid_no_acquire_clean(const float *x, float *y, int *flags, int n)
{
	if (T != 0)
		return;
	if (B == 0) {
		y[0] = x[0];
		__threadfence();
		atomicExch(&flags[0], 1);
	} else {
		while (atomicAdd(&flags[0], 0) == 0)
			;
		__threadfence();
		y[B] = y[0];
	}
}

KERNEL grid_plain_flag(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0)
		flags[3] = 1;
	if (T == 0 && B == 1)
		atomicAdd(&flags[3], 1);                        /* BUG */
}
KERNEL grid_plain_flag_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0)
		atomicExch(&flags[3], 1);
	if (T == 0 && B == 1)
		atomicAdd(&flags[3], 1);
}

/* A thread's own atomic does not order those of other blocks before its read. */
KERNEL grid_own_atomic(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		atomicAdd(&flags[0], 1);
		if (B == BLOCKS - 1)
			y[0] = (float)flags[0];                 /* BUG */
	}
}
KERNEL grid_own_atomic_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		int before = atomicAdd(&flags[0], 1);

		__threadfence();
		if (before == BLOCKS - 1) {
			y[0] = (float)flags[0];
			flags[0] = 0;
		}
	}
}

/* A write races with a read even if it does not change the value. */
KERNEL grid_equal_read(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		y[B] = (float)flags[5];
	if (B == BLOCKS - 1 && T == 7)
		flags[5] = 0;                                   /* BUG */
}
KERNEL grid_equal_read_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		y[B] = (float)flags[5];
	if (B == BLOCKS - 1 && T == 7)
		flags[6] = 0;
}
KERNEL grid_equal_atomic(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B < 2)
		atomicExch(&flags[5], 1);
	if (T == 0 && B == 2)
		flags[5] = 1;                                   /* BUG */
}
KERNEL grid_equal_atomic_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B < 2)
		atomicExch(&flags[5], 1);
	if (T == 0 && B == 2)
		atomicExch(&flags[5], 1);
}

KERNEL equal_all_write(const float *x, float *y, int *flags, int n)
{
	flags[0] = 7;                                           /* BUG */
}
KERNEL equal_all_write_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0 && T == 0)
		flags[0] = 7;
}

KERNEL equal_found(const float *x, float *y, int *flags, int n)
{
	__shared__ int found;

	if (T == 0)
		found = 0;
	__syncthreads();
	if (T > 40)
		found = 1;                                      /* BUG */
}
KERNEL equal_found_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int found;

	if (T == 0)
		found = 0;
	__syncthreads();
	if (T == 41)
		found = 1;
}

KERNEL equal_broadcast(const float *x, float *y, int *flags, int n)
{
	__shared__ float scale;

	scale = x[3];                                           /* BUG */
	__syncthreads();
	if (B == 0 && T < n)
		y[T] = scale;
}
KERNEL equal_broadcast_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float scale;

	if (T == 0)
		scale = x[3];
	__syncthreads();
	if (B == 0 && T < n)
		y[T] = scale;
}

/* All blocks read it, so often that the checker keeps only the first readers. */
KERNEL grid_all_read(const float *x, float *y, int *flags, int n)
{
	int read = flags[1] + flags[1];

	if (T == 0)
		flags[8 + B] = read;
	if (B == BLOCKS - 1 && T == 0)
		flags[1] = 5;                                   /* BUG */
}
KERNEL grid_all_read_clean(const float *x, float *y, int *flags, int n)
{
	int read = flags[1] + flags[1];

	if (T == 0)
		flags[8 + B] = read;
	if (B == BLOCKS - 1 && T == 0)
		flags[2] = 5;
}

/* A block-level fence orders nothing for other blocks. */
KERNEL grid_block_fence(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		__threadfence_block();
		int last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
		__threadfence();
		for (int b = 0; last && b < BLOCKS; b++)
			y[BLOCKS] = y[b];                       /* BUG */
	}
}
KERNEL grid_block_fence_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		__threadfence();
		int last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
		__threadfence();
		for (int b = 0; last && b < BLOCKS; b++)
			y[BLOCKS] = y[b];
	}
}
KERNEL grid_block_acquire(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		__threadfence();
		int last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
		__threadfence_block();
		for (int b = 0; last && b < BLOCKS; b++)
			y[BLOCKS] = y[b];                       /* BUG */
	}
}
KERNEL grid_block_acquire_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		__threadfence();
		int last = atomicAdd(&flags[0], 1) == BLOCKS - 1;
		__threadfence();
		for (int b = BLOCKS; last && b-- > 0; )
			y[BLOCKS] = y[b];
	}
}

/* Within its block it does. */
KERNEL block_flag_no_fence(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		atomicExch(&flags[B], 1);
	}
	if (T == 40) {
		while (!atomicAdd(&flags[B], 0))
			;
		__threadfence_block();
		y[BLOCKS + B] = y[B];                           /* BUG */
	}
}
KERNEL block_flag_no_fence_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		__threadfence_block();
		atomicExch(&flags[B], 1);
	}
	if (T == 40) {
		while (!atomicAdd(&flags[B], 0))
			;
		__threadfence_block();
		y[BLOCKS + B] = y[B];
	}
}

/* File-scope variables. */
static __device__ int device_count;
static __device__ float device_table[64];
__constant__ float device_scale = 2.0f;

KERNEL grid_device_count(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		device_count += 1;                              /* BUG */
}
KERNEL grid_device_count_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		atomicAdd(&device_count, 1);
}

KERNEL block_device_table(const float *x, float *y, int *flags, int n)
{
	if (B == 0) {
		device_table[T] = device_scale;
		flags[T] = (int)device_table[63 - T];           /* BUG */
	}
}
KERNEL block_device_table_clean(const float *x, float *y, int *flags, int n)
{
	if (B == 0) {
		device_table[T] = device_scale;
		__syncthreads();
		flags[T] = (int)device_table[63 - T];
	}
}
