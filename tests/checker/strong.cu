/* strong.cu - volatile accesses and atomics with a scope: what they order, and what not.
 *
 * 4 blocks of 64 threads. oob.cu describes the other conventions.
 */
#include "kernels/kernel.h"

#define T ((int)threadIdx.x)
#define B ((int)blockIdx.x)
#define BLOCKS ((int)gridDim.x)

/* A flag is not a race, but data needs a fence before it is published. */
KERNEL volatile_publish(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (T == 0 && B == BLOCKS - 1) {
		y[0] = x[3];
		*flag = 1;
	} else if (T == 0) {
		while (*flag == 0)
			;
		__threadfence();
		y[1 + B] = y[0];                                /* BUG */
	}
}
KERNEL volatile_publish_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (T == 0 && B == BLOCKS - 1) {
		y[0] = x[3];
		__threadfence();
		*flag = 1;
	} else if (T == 0) {
		while (*flag == 0)
			;
		__threadfence();
		y[1 + B] = y[0];
	}
}

/* Nor does a plain read wait for the volatile one. Every thread polls. */
KERNEL volatile_no_acquire(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (B == BLOCKS - 1 && T == 0) {
		y[0] = x[3];
		__threadfence();
		*flag = 1;
	} else if (B == 1) {
		while (*flag == 0)
			;
		if (T < 63)
			flags[T + 1] = 5 + (int)y[0];           /* BUG */
	}
}
KERNEL volatile_no_acquire_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (B == BLOCKS - 1 && T == 0) {
		y[0] = x[3];
		__threadfence();
		*flag = 1;
	} else if (B == 1) {
		while (*flag == 0)
			;
		__threadfence();
		if (T < 63)
			flags[T + 1] = 5 + (int)y[0];
	}
}

/* A flag that is tested once; nothing depends on its value but what it publishes. */
KERNEL volatile_tested(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (T == 0 && B == 0) {
		y[0] = x[3];
		*flag = 1;
	} else if (T == 0 && *flag) {
		__threadfence();
		y[B] = y[0];                                    /* BUG */
	}
}
KERNEL volatile_tested_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (T == 0 && B == 0) {
		y[0] = x[3];
		__threadfence();
		*flag = 1;
	} else if (T == 0 && *flag) {
		__threadfence();
		y[B] = y[0];
	}
}

KERNEL volatile_count(const float *x, float *y, int *flags, int n)
{
	volatile int *count = flags;

	if (T == 0)
		*count = *count + 1;                            /* BUG */
}
KERNEL volatile_count_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *count = flags;

	if (T == 0 && B == 0)
		*count = *count + 1;
	if (T == 0 && B == 1 && *count)
		y[0] = x[0];
}

KERNEL volatile_last_writer(const float *x, float *y, int *flags, int n)
{
	volatile int *winner = flags;

	if (T == 0)
		*winner = B;                                    /* BUG */
}
KERNEL volatile_last_writer_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *winner = flags;

	if (T == 0)
		winner[B] = B;
}

KERNEL volatile_and_plain(const float *x, float *y, int *flags, int n)
{
	volatile int *stop = flags;

	if (T == 0 && B == 0)
		flags[0] = 1;                                   /* BUG */
	if (T == 0 && B == 1 && *stop)
		y[0] = x[0];
}
KERNEL volatile_and_plain_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *stop = flags;

	if (T == 0 && B == 0)
		*stop = 1;
	if (T == 0 && B == 1 && *stop)
		y[0] = x[0];
}

/* Blocks take turns, from the last to the first. */
KERNEL volatile_turns(const float *x, float *y, int *flags, int n)
{
	volatile int *turn = flags;

	if (T == 0) {
		while (*turn != BLOCKS - 1 - B)
			;
		__threadfence();
		flags[1] += B;                                  /* BUG */
		*turn = *turn + 1;
	}
}
KERNEL volatile_turns_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *turn = flags;

	if (T == 0) {
		while (*turn != BLOCKS - 1 - B)
			;
		__threadfence();
		flags[1] += B;
		__threadfence();
		*turn = *turn + 1;
	}
}

/* A loop over many flags repeats no read soon. */
KERNEL volatile_many(const float *x, float *y, int *flags, int n)
{
	volatile int *ready = flags;
	int missing;

	if (T == 0 && B > 0) {
		y[B] = x[B];
		ready[B] = 1;
	} else if (T == 0) {
		do {
			missing = 0;
			for (int b = 1; b < BLOCKS; b++)
				if (!ready[b])
					missing++;
		} while (missing);
		__threadfence();
		for (int b = 1; b < BLOCKS; b++)
			y[BLOCKS] = y[b];                       /* BUG */
	}
}
KERNEL volatile_many_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *ready = flags;
	int missing;

	if (T == 0 && B > 0) {
		y[B] = x[B];
		__threadfence();
		ready[B] = 1;
	} else if (T == 0) {
		do {
			missing = 0;
			for (int b = 1; b < BLOCKS; b++)
				if (!ready[b])
					missing++;
		} while (missing);
		__threadfence();
		for (int b = 1; b < BLOCKS; b++)
			y[BLOCKS] = y[b];
	}
}

/* In shared memory the same holds within a block. */
KERNEL volatile_shared_flag(const float *x, float *y, int *flags, int n)
{
	__shared__ volatile int ready;
	__shared__ float data;

	if (T == 0)
		ready = 0;
	__syncthreads();
	if (T == 40) {
		data = x[B];
		ready = 1;
	} else if (T < 32) {
		while (!ready)
			;
		__threadfence_block();
		if (T == 3)
			y[B] = data;                            /* BUG */
	}
}
KERNEL volatile_shared_flag_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ volatile int ready;
	__shared__ float data;

	if (T == 0)
		ready = 0;
	__syncthreads();
	if (T == 40) {
		data = x[B];
		__threadfence_block();
		ready = 1;
	} else if (T < 32) {
		while (!ready)
			;
		__threadfence_block();
		if (T == 3)
			y[B] = data;
	}
}

KERNEL volatile_shared_count(const float *x, float *y, int *flags, int n)
{
	__shared__ int s;
	volatile int *count = &s;

	if (T == 0)
		s = 0;
	__syncthreads();
	if (T % 32 == 0)
		*count = *count + 1;                            /* BUG */
}
KERNEL volatile_shared_count_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int s;
	volatile int *count = &s;

	if (T == 0)
		s = 0;
	__syncthreads();
	if (T == 32)
		*count = *count + 1;
	if (T < 32 && *count && B == 0)
		y[T] = x[T];
}

/* Data read from other threads without a barrier is a race, volatile or not. */
KERNEL volatile_shared_data(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	volatile float *v = s;

	v[T] = x[T % n];
	if (T < n / 2 && B == 0)
		y[T] = v[T + 1];                                /* BUG */
}
KERNEL volatile_shared_data_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	volatile float *v = s;

	v[T] = x[T % n];
	__syncthreads();
	if (T < n / 2 && B == 0)
		y[T] = v[T + 1];
}
