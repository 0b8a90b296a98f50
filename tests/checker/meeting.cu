/* meeting.cu - barriers, deadlocks and masks; and operations that create a NaN.
 *
 * 2 blocks of 64 threads. oob.cu describes the other conventions.
 */
#include "kernels/kernel.h"

#define T ((int)threadIdx.x)
#define LANE (T % 32)
#define ALL 0xffffffffu

KERNEL barrier_two_sites(const float *x, float *y, int *flags, int n)
{
	if (T < 32)
		__syncthreads();
	else
		__syncthreads();                                /* BUG */
}
KERNEL barrier_two_sites_clean(const float *x, float *y, int *flags, int n)
{
	__syncthreads();
}

/* A barrier, and so is each call of it: block.cu has more. */
static __device__ inline void meet(void)
{
	__syncthreads();
}

KERNEL barrier_in_function(const float *x, float *y, int *flags, int n)
{
	if (T < 32)
		meet();
	else
		__syncthreads();                                /* BUG */
}
KERNEL barrier_in_function_clean(const float *x, float *y, int *flags, int n)
{
	if (n < 32)
		meet();
	else
		meet();
}

KERNEL barrier_macro(const float *x, float *y, int *flags, int n)
{
#define MEET_IF(condition) do { if (condition) __syncthreads(); } while (0)
	MEET_IF(T < 32); MEET_IF(T >= 32);                      /* BUG */
}
KERNEL barrier_macro_clean(const float *x, float *y, int *flags, int n)
{
	MEET_IF(n > 32); MEET_IF(blockIdx.x == 0);
}

KERNEL barrier_early_return(const float *x, float *y, int *flags, int n)
{
	if (T >= n)
		return;
	__syncthreads();                                        /* BUG */
	flags[T] = T;
}
KERNEL barrier_early_return_clean(const float *x, float *y, int *flags, int n)
{
	__syncthreads();
	if (T >= n || blockIdx.x > 0)
		return;
	flags[T] = T;
}

KERNEL barrier_uneven_loop(const float *x, float *y, int *flags, int n)
{
	for (int i = 0; i < 2 + T / 32; i++)
		__syncthreads();                                /* BUG */
}
KERNEL barrier_uneven_loop_clean(const float *x, float *y, int *flags, int n)
{
	for (int i = 0; i < 3; i++)
		__syncthreads();
}

KERNEL barrier_in_condition(const float *x, float *y, int *flags, int n)
{
	if (T % 2 == 0)
		__syncthreads();
	__syncthreads();                                        /* BUG */
}
KERNEL barrier_in_condition_clean(const float *x, float *y, int *flags, int n)
{
	if (n % 2 == 0)
		__syncthreads();
	__syncthreads();
}

KERNEL barrier_vote(const float *x, float *y, int *flags, int n)
{
	if (T < 32)
		flags[blockIdx.x] = __syncthreads_or(T == 3);
	else
		__syncthreads();                                /* BUG */
}
KERNEL barrier_vote_clean(const float *x, float *y, int *flags, int n)
{
	int any = __syncthreads_or(T == 3);

	if (T == 0)
		flags[blockIdx.x] = any;
}

KERNEL deadlock_warp_and_block(const float *x, float *y, int *flags, int n)
{
	if (LANE < 16)
		__syncwarp();                                   /* BUG */
	else
		__syncthreads();
}
KERNEL deadlock_warp_and_block_clean(const float *x, float *y, int *flags, int n)
{
	__syncwarp();
	__syncthreads();
}

KERNEL deadlock_two_orders(const float *x, float *y, int *flags, int n)
{
	if (LANE < 16) {
		__syncwarp(ALL);                                /* BUG */
		(void)__ballot_sync(ALL, 1);
	} else {
		(void)__ballot_sync(ALL, 1);
		__syncwarp(ALL);
	}
}
KERNEL deadlock_two_orders_clean(const float *x, float *y, int *flags, int n)
{
	__syncwarp(ALL);
	(void)__ballot_sync(ALL, 1);
}

/* A mask may name lanes that have exited, as long as no lane reads them. */
KERNEL mask_exited_read(const float *x, float *y, int *flags, int n)
{
	if (LANE >= 28)
		return;
	flags[T] = __shfl_down_sync(ALL, T, 4);                 /* BUG */
}
KERNEL mask_exited_read_clean(const float *x, float *y, int *flags, int n)
{
	if (LANE >= 28)
		return;
	__syncwarp(ALL);
	if (blockIdx.x == 0)
		flags[T] = __shfl_sync(ALL, T, LANE ^ 1);
}

/* Some lanes may meet while the others wait for the whole warp, but must join them afterwards. */
KERNEL mask_part_only(const float *x, float *y, int *flags, int n)
{
	int v = T;

	if (LANE < 16)
		v += __shfl_xor_sync(0xffff, v, 1);
	else
		v += __shfl_xor_sync(ALL, v, 16);               /* BUG */
	if (blockIdx.x == 0)
		flags[T] = v;
}
KERNEL mask_part_only_clean(const float *x, float *y, int *flags, int n)
{
	int v = T;

	if (LANE < 16)
		v += __shfl_xor_sync(0xffff, v, 1);
	v += __shfl_xor_sync(ALL, v, 16);
	if (LANE % 3 == 0)
		__syncwarp(0x49249249);
	__syncwarp();
	if (LANE < 8)
		v += __reduce_add_sync(0xff, (unsigned)v);
	v += __any_sync(ALL, v > 7);
	if (blockIdx.x == 0)
		flags[T] = v;
}

/* Groups of lanes may meet under separate masks; if the masks overlap, the groups wait for each
 * other. */
KERNEL mask_overlaps(const float *x, float *y, int *flags, int n)
{
	__syncwarp(LANE < 16 ? 0x1ffff : 0xffff8000);           /* BUG */
}
KERNEL mask_overlaps_clean(const float *x, float *y, int *flags, int n)
{
	__syncwarp(LANE < 16 ? 0xffff : 0xffff0000);
}

KERNEL mask_without_caller(const float *x, float *y, int *flags, int n)
{
	if (LANE < 8)
		__syncwarp(0x0000007fu);                        /* BUG */
}
KERNEL mask_without_caller_clean(const float *x, float *y, int *flags, int n)
{
	if (LANE < 8)
		__syncwarp(0x000000ffu);
}

KERNEL mask_differs(const float *x, float *y, int *flags, int n)
{
	unsigned mask = LANE < 16 ? ALL : 0xffff0001u;

	if (LANE == 0 || LANE > 15)
		__syncwarp(mask);                               /* BUG */
}
KERNEL mask_differs_clean(const float *x, float *y, int *flags, int n)
{
	if (LANE == 0 || LANE > 15)
		__syncwarp(0xffff0001u);
}

KERNEL mask_elsewhere(const float *x, float *y, int *flags, int n)
{
	if (LANE < 16)
		(void)__ballot_sync(ALL, 1);
	else
		(void)__shfl_sync(ALL, T, 0);                         /* BUG */
}
KERNEL mask_elsewhere_clean(const float *x, float *y, int *flags, int n)
{
	if (LANE < 16)
		(void)__ballot_sync(0x0000ffffu, 1);
	else
		(void)__shfl_sync(0xffff0000u, T, 16);
}

KERNEL mask_shuffle_absent(const float *x, float *y, int *flags, int n)
{
	int v = 0;

	if (LANE < 16)
		v = __shfl_down_sync(0x0000ffffu, T, 8);        /* BUG */
	if (blockIdx.x == 0)
		flags[T] = v;
}
KERNEL mask_shuffle_absent_clean(const float *x, float *y, int *flags, int n)
{
	int v = 0;

	if (LANE < 16)
		v = __shfl_down_sync(0x0000ffffu, T, 8, 16);
	if (blockIdx.x == 0)
		flags[T] = v;
}

KERNEL mask_shuffle_exited(const float *x, float *y, int *flags, int n)
{
	int v;

	if (LANE == 31)
		return;
	v = __shfl_sync(ALL, T, 31);                            /* BUG */
	if (blockIdx.x == 0)
		flags[T] = v;
}
/* Naming a lane that has exited is legal; reading it is not. */
KERNEL mask_shuffle_exited_clean(const float *x, float *y, int *flags, int n)
{
	int v;

	if (LANE == 31)
		return;
	v = __shfl_sync(ALL, T, 30);
	if (blockIdx.x == 0)
		flags[T] = v;
}

KERNEL mask_reduce(const float *x, float *y, int *flags, int n)
{
	unsigned sum = 0;

	if (LANE % 2)
		sum = __reduce_add_sync(0x55555555u, 1u);       /* BUG */
	if (blockIdx.x == 0)
		flags[T] = (int)sum;
}
KERNEL mask_reduce_clean(const float *x, float *y, int *flags, int n)
{
	unsigned sum = 0;

	if (LANE % 2)
		sum = __reduce_add_sync(0xaaaaaaaau, 1u);
	if (blockIdx.x == 0)
		flags[T] = (int)sum;
}

KERNEL nan_inf_minus_inf(const float *x, float *y, int *flags, int n)
{
	float running = -INFINITY * x[1], tile = -INFINITY * x[2];

	if (blockIdx.x == 0 && T < n)
		y[T] = tile - running;                          /* BUG */
}
KERNEL nan_inf_minus_inf_clean(const float *x, float *y, int *flags, int n)
{
	float running = -INFINITY * x[1], tile = -INFINITY * x[2];

	if (blockIdx.x == 0 && T < n)
		y[T] = tile == -INFINITY ? 0.0f : tile - running;
}

KERNEL nan_zero_over_zero(const float *x, float *y, int *flags, int n)
{
	float sum = x[0];

	if (blockIdx.x == 0 && T < n)
		y[T] = x[0] / sum;                              /* BUG */
}
KERNEL nan_zero_over_zero_clean(const float *x, float *y, int *flags, int n)
{
	float sum = x[0];

	if (blockIdx.x == 0 && T < n)
		y[T] = sum == 0.0f ? 0.0f : x[0] / sum;
}

KERNEL nan_zero_times_inf(const float *x, float *y, int *flags, int n)
{
	float big = INFINITY * x[1];

	if (blockIdx.x == 0 && T < n)
		y[T] = fmaf(x[0], big, 1.0f);                   /* BUG */
}
KERNEL nan_zero_times_inf_clean(const float *x, float *y, int *flags, int n)
{
	float big = INFINITY * x[1];

	if (blockIdx.x == 0 && T < n)
		y[T] = fmaf(x[1], big, 1.0f);
}

KERNEL nan_root(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = sqrtf(x[0] - x[1]);                      /* BUG */
}
KERNEL nan_root_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = sqrtf(x[1] - x[0]);
}

/* The simulator's models of such functions compute in integers. */
KERNEL nan_rsqrt(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = rsqrtf(x[0] - x[1]);                     /* BUG */
}
KERNEL nan_rsqrt_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = rsqrtf(x[1] - x[0]);
}

KERNEL nan_log(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = logf(x[T] - x[T + 1 < n ? T + 1 : 0]);   /* BUG */
}
KERNEL nan_log_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = logf(fabsf(x[T] - x[T + 1 < n ? T + 1 : 0]));
}

KERNEL nan_fast_log(const float *x, float *y, int *flags, int n)
{
	float shifted = x[1] - x[3];

	if (blockIdx.x == 0 && T < n)
		y[T] = __logf(shifted);                         /* BUG */
}
KERNEL nan_fast_log_clean(const float *x, float *y, int *flags, int n)
{
	float shifted = x[3] - x[1];

	if (blockIdx.x == 0 && T < n)
		y[T] = __logf(shifted);
}

KERNEL nan_sine(const float *x, float *y, int *flags, int n)
{
	float angle = INFINITY * x[1];

	if (blockIdx.x == 0 && T < n)
		y[T] = __sinf(angle) + 1.0f;                    /* BUG */
}
KERNEL nan_sine_clean(const float *x, float *y, int *flags, int n)
{
	float angle = 1e30f * x[1];

	if (blockIdx.x == 0 && T < n)
		y[T] = __sinf(angle) + 1.0f;
}

KERNEL nan_power(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = powf(-x[2], 0.5f);                       /* BUG */
}
KERNEL nan_power_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = powf(-x[2], x[3]);
}

KERNEL nan_fast_divide(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = __fdividef(x[0], x[0]);                  /* BUG */
}
KERNEL nan_fast_divide_clean(const float *x, float *y, int *flags, int n)
{
	if (blockIdx.x == 0 && T < n)
		y[T] = __fdividef(x[0], x[1]);
}

/* A NaN from outside is not a finding here, nor is one that a function propagates; a NaN created
 * later in the same statements is found like the first. */
KERNEL nan_after_another(const float *x, float *y, int *flags, int n)
{
	float missing = __int_as_float(0x7fffffff), none = x[0];

	if (blockIdx.x == 0 && T < n) {
		float score = missing * x[1] + expf(missing) + logf(missing);
		float best = score > none ? score : expm1f(INFINITY * x[1]);
		y[T] = best + none / none;                      /* BUG */
	}
}
KERNEL nan_after_another_clean(const float *x, float *y, int *flags, int n)
{
	float missing = __int_as_float(0x7fffffff), none = x[0];

	if (blockIdx.x == 0 && T < n) {
		float score = missing * x[1] + expf(missing) + logf(missing);
		float best = score > none ? score : expm1f(INFINITY * x[1]);
		y[T] = best + none;
	}
}

KERNEL nan_twice(const float *x, float *y, int *flags, int n)
{
	float big = INFINITY * x[1], none = x[0];

	if (blockIdx.x == 0 && T < n) {
		float first = flags[T] ? 1.0f : rsqrtf(x[1]);
		y[T] = first * (big - x[2]) + 2.0f;
		flags[T] = none * big > 1.0f;                   /* BUG */
	}
}
KERNEL nan_twice_clean(const float *x, float *y, int *flags, int n)
{
	float big = INFINITY * x[1], none = x[0];

	if (blockIdx.x == 0 && T < n) {
		float first = flags[T] ? 1.0f : rsqrtf(x[1]);
		y[T] = first * (big - x[2]) + 2.0f;
		flags[T] = none * x[1] > 1.0f;
	}
}
