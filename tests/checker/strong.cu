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

/* --- scopes and sizes of atomics --- */

KERNEL scope_count(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		atomicAdd_block(&flags[0], 1);                  /* BUG */
}
KERNEL scope_count_clean(const float *x, float *y, int *flags, int n)
{
	if (T < 40)
		atomicAdd_block(&flags[B], 1);
	if (T == 40)
		atomicAdd(&flags[B], 1);
}

KERNEL scope_and_device(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 2)
		atomicMax_block(&flags[0], 3);                  /* BUG */
	else if (T == 0)
		atomicMax_system(&flags[0], B);
}
KERNEL scope_and_device_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 2)
		atomicMax_system(&flags[0], 3);
	else if (T == 0)
		atomicMax(&flags[0], B);
}

KERNEL scope_lock(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		while (atomicCAS_block(&flags[0], 0, 1) != 0)   /* BUG */
			;
		__threadfence();
		flags[1] += B;
		__threadfence();
		atomicExch(&flags[0], 0);
	}
}
KERNEL scope_lock_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		while (atomicCAS_system(&flags[0], 0, 1) != 0)
			;
		__threadfence_system();
		flags[1] += B;
		__threadfence_system();
		atomicExch_system(&flags[0], 0);
	}
}

KERNEL scope_polled(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (T == 0 && B == 0)
		atomicExch_block(&flags[0], 1);                 /* BUG */
	if (T == 0 && B == 1 && *flag)
		y[0] = x[0];
}
KERNEL scope_polled_clean(const float *x, float *y, int *flags, int n)
{
	volatile int *flag = flags;

	if (T == 0 && B == 0)
		atomicExch_block(&flags[0], 1);
	if (T == 40 && B == 0 && *flag)
		y[0] = x[0];
}

/* What a fence for the block released, a fence for the device passes on. */
KERNEL scope_passed_on(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0) {
		y[0] = x[3];
		__threadfence_block();
		atomicExch(&flags[0], 1);
	} else if (T == 40 && B == 0) {
		while (atomicAdd(&flags[0], 0) != 1)
			;
		__threadfence_block();
		atomicExch(&flags[0], 2);
	} else if (T == 0 && B == 1) {
		while (atomicAdd(&flags[0], 0) != 2)
			;
		__threadfence();
		y[1] = y[0];                                    /* BUG */
	}
}
KERNEL scope_passed_on_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0) {
		y[0] = x[3];
		__threadfence_block();
		atomicExch(&flags[0], 1);
	} else if (T == 40 && B == 0) {
		while (atomicAdd(&flags[0], 0) != 1)
			;
		__threadfence();
		atomicExch(&flags[0], 2);
	} else if (T == 0 && B == 1) {
		while (atomicAdd(&flags[0], 0) != 2)
			;
		__threadfence();
		y[1] = y[0];
	}
}

/* Volatile data is no race by itself, but a fence for the block does not publish it to others. */
KERNEL scope_volatile(const float *x, float *y, int *flags, int n)
{
	volatile float *sums = y;

	if (T == 0) {
		sums[B] = x[B];
		__threadfence_block();
		if (atomicInc((unsigned *)&flags[0], 100) == BLOCKS - 1)
			for (int b = 0; b < BLOCKS; b++)
				flags[1 + b] = (int)sums[b];    /* BUG */
	}
}
KERNEL scope_volatile_clean(const float *x, float *y, int *flags, int n)
{
	volatile float *sums = y;

	if (T == 0) {
		sums[B] = x[B];
		__threadfence();
		if (atomicInc((unsigned *)&flags[0], 100) == BLOCKS - 1)
			for (int b = 0; b < BLOCKS; b++)
				flags[1 + b] = (int)sums[b];
	}
}

KERNEL size_of_atomics(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0)
		atomicAdd((unsigned long long *)flags, 1ull << 40);
	if (T == 0 && B == 1)
		atomicAdd(&flags[1], 1);                        /* BUG */
}
KERNEL size_of_atomics_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0)
		atomicAdd((unsigned long long *)flags, 1ull << 40);
	if (T == 0 && B == 1)
		atomicAdd(&flags[2], 1);
}

/* A lock needs a fence after it is taken, also before a write. */
KERNEL lock_no_acquire(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		while (atomicCAS(&flags[0], 0, 1) != 0)
			;
		y[0] = x[B];                                    /* BUG */
		__threadfence();
		atomicExch(&flags[0], 0);
	}
}
KERNEL lock_no_acquire_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		while (atomicCAS(&flags[0], 0, 1) != 0)
			;
		__threadfence();
		y[0] = x[B];
		__threadfence();
		atomicExch(&flags[0], 0);
	}
}

/* A write that depends on the value of a counter needs none. */
KERNEL counter_no_release(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		if (atomicInc((unsigned *)&flags[0], 100) == BLOCKS - 1)
			for (int b = 0; b < BLOCKS; b++)
				y[b] = 0.0f;                    /* BUG */
	}
}
KERNEL counter_no_release_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		y[B] = x[B];
		__threadfence();
		if (atomicInc((unsigned *)&flags[0], 100) == BLOCKS - 1)
			for (int b = 0; b < BLOCKS; b++)
				y[b] = 0.0f;
	}
}

/* Every block passes on what the one before it released. */
KERNEL flags_in_a_chain(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		if (B == 0)
			y[0] = x[5];
		while (B > 0 && atomicAdd(&flags[B - 1], 0) == 0)
			;
		if (B > 0)
			__threadfence();
		if (B == BLOCKS - 1)
			y[1] = y[0];                            /* BUG */
		atomicExch(&flags[B], 1);
	}
}
KERNEL flags_in_a_chain_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		if (B == 0)
			y[0] = x[5];
		while (B > 0 && atomicAdd(&flags[B - 1], 0) == 0)
			;
		__threadfence();
		if (B == BLOCKS - 1)
			y[1] = y[0];
		atomicExch(&flags[B], 1);
	}
}

/* --- what only another order shows --- */

/* A flag that is read, but not waited for. */
KERNEL order_not_waited(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0) {
		y[0] = x[3];
		__threadfence();
		atomicExch(&flags[0], 1);
	} else if (T == 0) {
		atomicAdd(&flags[0], 0);
		__threadfence();
		y[B] = y[0];                                    /* BUG */
	}
}
KERNEL order_not_waited_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0 && B == 0) {
		y[0] = x[3];
		__threadfence();
		atomicExch(&flags[0], 1);
	} else if (T == 0 && atomicAdd(&flags[0], 0) == 1) {
		__threadfence();
		y[B] = y[0];
	}
}

/* Each block takes a lock, but not the same one: in order, the flag of the first orders them. */
KERNEL order_of_locks(const float *x, float *y, int *flags, int n)
{
	int *lock = &flags[B == BLOCKS - 1];

	if (T == 0) {
		if (B == BLOCKS - 1)
			atomicAdd(&flags[0], 0);
		while (atomicCAS(lock, 0, 1) != 0)
			;
		__threadfence();
		flags[5] += B;                                  /* BUG */
		__threadfence();
		atomicExch(lock, 0);
	}
}
KERNEL order_of_locks_clean(const float *x, float *y, int *flags, int n)
{
	int *lock = &flags[0];

	if (T == 0) {
		if (B == BLOCKS - 1)
			atomicAdd(&flags[0], 0);
		while (atomicCAS(lock, 0, 1) != 0)
			;
		__threadfence();
		flags[5] += B;
		__threadfence();
		atomicExch(lock, 0);
	}
}

/* The last block takes itself for the last to come. */
KERNEL order_count_wrong(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		int before;

		y[B] = x[B];
		__threadfence();
		before = atomicAdd(&flags[0], 1);
		__threadfence();
		if (B == BLOCKS - 1 && before > 0)
			for (int b = 0; b < BLOCKS; b++)
				y[BLOCKS] = y[b];               /* BUG */
	}
}
KERNEL order_count_wrong_clean(const float *x, float *y, int *flags, int n)
{
	if (T == 0) {
		int before;

		y[B] = x[B];
		__threadfence();
		before = atomicAdd(&flags[0], 1);
		__threadfence();
		if (before == BLOCKS - 1)
			for (int b = 0; b < BLOCKS; b++)
				y[BLOCKS] = y[b];
	}
}
