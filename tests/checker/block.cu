/* block.cu - variables and barriers that functions of a block share.
 *
 * 2 blocks of 64 threads. oob.cu describes the other conventions.
 */
#include "kernels/kernel.h"

#define T ((int)threadIdx.x)
#define LANE (T % 32)
#define ALL 0xffffffffu

/* --- shared variables outside functions --- */

__shared__ float file_tile[64];
static __shared__ int file_count;
extern __shared__ float file_dynamic[];

static __device__ inline void file_put(int i, float value)
{
	file_tile[i] = value;
}

KERNEL race_of_file(const float *x, float *y, int *flags, int n)
{
	file_put(T, x[T % n]);
	if (blockIdx.x == 0 && T < n)
		y[T] = file_tile[63 - T];                       /* BUG */
}
KERNEL race_of_file_clean(const float *x, float *y, int *flags, int n)
{
	file_put(T, x[T % n]);
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = file_tile[63 - T];
}

KERNEL oob_of_file(const float *x, float *y, int *flags, int n)
{
	file_put(T, x[T % n]);
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = file_tile[T + n / 10];                   /* BUG */
}
KERNEL oob_of_file_clean(const float *x, float *y, int *flags, int n)
{
	file_put(T, x[T % n]);
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = file_tile[T + n / 20];
}

KERNEL uninit_of_file(const float *x, float *y, int *flags, int n)
{
	if (T < 32)
		file_dynamic[T] = x[T];
	if (T == 1)
		atomicAdd(&file_count, 1);                      /* BUG */
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = (float)file_count + file_dynamic[0];
}
KERNEL uninit_of_file_clean(const float *x, float *y, int *flags, int n)
{
	if (T < 32)
		file_dynamic[T] = x[T];
	if (T == 0)
		file_count = 0;
	__syncthreads();
	if (T == 1)
		atomicAdd(&file_count, 1);
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = (float)file_count + file_dynamic[0];
}

/* --- barriers in functions --- */

static __device__ __forceinline__ void meet_inline(int i, int *flags)
{
	__syncthreads();
	flags[i] = i;
	__syncthreads();
}

static __device__ __noinline__ void meet_call(int i, int *flags)
{
	__syncthreads();
	flags[i] = i;
	__syncthreads();
}

KERNEL barrier_two_calls(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x > 0)
		return;
	if (T < 32)
		meet_call(T, flags);
	else
		meet_call(T, flags);                            /* BUG */
}
KERNEL barrier_two_calls_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x > 0)
		return;
	if (n < 32)
		meet_call(T, flags);
	else
		meet_call(T, flags);
}

KERNEL barrier_two_inlined(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x > 0)
		return;
	if (T < 32)
		meet_inline(T, flags);
	else
		meet_inline(T, flags);                          /* BUG */
}
KERNEL barrier_two_inlined_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x > 0)
		return;
	meet_inline(T, flags);
	for (int i = 0; i < n / 20; i++)
		if (n > 32)
			meet_inline(T, flags);
}

static __device__ inline void meet_in_turn(int i, int *flags)
{
	meet_call(i, flags);
}

KERNEL barrier_two_callers(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x > 0)
		return;
	if (T < 32) meet_in_turn(T, flags); else meet_in_turn(T, flags);        /* BUG */
}
/* The compiler may make copies of the loop for lanes below and above 32. */
KERNEL barrier_two_callers_clean(const float *x, float *y, int *flags, int n)
{
	int sum = 0;

	if (blockIdx.x > 0)
		return;
	for (int i = 0; i < 3; i++) {
		if (T < 32)
			sum += i;
		meet_in_turn(T, flags);
		if (T < 32)
			sum *= 3;
	}
	if (sum > 1000)
		flags[T] = sum;
}

/* --- barriers in loops --- */

/* Each thread skips the barrier once, so all pass it as often. */
KERNEL barrier_skipped_turn(const float *x, float *y, int *flags, int n)
{
	for (int i = 0; i < 4; i++) {
		if (i == T / 32)
			continue;
		__syncthreads();                                /* BUG */
	}
	if (blockIdx.x == 0)
		flags[T] = T;
}
/* Threads take different turns of loops in which none comes to the barrier. */
KERNEL barrier_skipped_turn_clean(const float *x, float *y, int *flags, int n)
{
	int sum = 0;

	for (int i = 0; i < 4; i++) {
		if (i == n / 60)
			continue;
		__syncthreads();
		for (int k = 0; k < T; k++) {
			if (k == 5 * i)
				continue;
			sum += k;
			if (n < 10)
				__syncthreads();
		}
	}
	if (blockIdx.x == 0)
		flags[T] = sum;
}

static __device__ inline int meet_until(int turns, int n)
{
	int i = 0;

	do {
		if (i == turns)
			return i;
		if (n < 0)
			__syncthreads();
	} while (++i < 40);
	return 0;
}

KERNEL barrier_skipped_while(const float *x, float *y, int *flags, int n)
{
	int i = 0;

	while (i < 5)
		if (i++ != T / 32 && n > 5)
			__syncthreads();                        /* BUG */
}
/* Different turns of a loop that all have left by a return. */
KERNEL barrier_skipped_while_clean(const float *x, float *y, int *flags, int n)
{
	int sum = meet_until(T % 7, n);

	if (blockIdx.x > 0)
		return;
	__syncthreads();
	for (int i = 0; i < 3; i++)
		meet_inline(T, flags);
	if (sum < 7)
		flags[T] = sum;
}

/* --- masks at one place --- */

KERNEL mask_two_masks(const float *x, float *y, int *flags, int n)
{
	int v = __shfl_xor_sync(LANE < 16 ? 0xffffu : ALL, T, 1);       /* BUG */

	if (blockIdx.x == 0)
		flags[T] = v;
}
KERNEL mask_two_masks_clean(const float *x, float *y, int *flags, int n)
{
	int v = __shfl_xor_sync(LANE < 16 ? 0xffffu : 0xffff0000u, T, 1);

	if (blockIdx.x == 0)
		flags[T] = v;
}

KERNEL mask_two_votes(const float *x, float *y, int *flags, int n)
{
	unsigned all = 0;

	for (int i = 0; i < 3; i++) {
		unsigned mask = i == 2 && LANE > 7 ? 0xffffff0fu : 0xffu << LANE / 8 * 8;

		all += __ballot_sync(mask, LANE % 2);           /* BUG */
	}
	if (blockIdx.x == 0)
		flags[T] = (int)all;
}
/* The lanes below 8 have exited when the others name them: only their last mask was another. */
KERNEL mask_two_votes_clean(const float *x, float *y, int *flags, int n)
{
	unsigned all = 0;

	for (int i = 0; i < 3; i++) {
		if (i == 2 && LANE < 8)
			break;
		all += __ballot_sync(i == 2 ? ALL : 0xffu << LANE / 8 * 8, LANE % 2);
	}
	if (blockIdx.x == 0)
		flags[T] = (int)all;
}
