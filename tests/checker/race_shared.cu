/* race_shared.cu - accesses to shared memory without the barrier they need.
 *
 * 2 blocks of 64 threads. The marked line is one of the two accesses. oob.cu describes the other
 * conventions.
 */
#include "kernels/kernel.h"
#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

#define T ((int)threadIdx.x)
#define LANE (T % 32)

KERNEL race_no_barrier(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	if (blockIdx.x == 0 && T < n)
		y[T] = s[63 - T];                               /* BUG */
}
KERNEL race_no_barrier_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[63 - T];
}

KERNEL race_overwrite(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	float other;

	s[T] = x[T % n];
	__syncthreads();
	other = s[63 - T];
	s[T] = other;                                           /* BUG */
}
KERNEL race_overwrite_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	float other;

	s[T] = x[T % n];
	__syncthreads();
	other = s[63 - T];
	__syncthreads();
	s[T] = other;
}

KERNEL race_reduction(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncthreads();
	for (int half = 32; half > 0; half /= 2)
		if (T < half)
			s[T] += s[T + half];                    /* BUG */
}
KERNEL race_reduction_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncthreads();
	for (int half = 32; half > 0; half /= 2) {
		if (T < half)
			s[T] += s[T + half];
		__syncthreads();
	}
}

KERNEL race_tile_reuse(const float *x, float *y, int *flags, int n)
{
	__shared__ float tile[64];
	float sum = 0.0f;

	for (int first = 0; first < 3; first++) {
		tile[T] = x[(T + first) % n];                   /* BUG */
		__syncthreads();
		sum += tile[63 - T];
	}
	if (blockIdx.x == 0 && T < n)
		y[T] = sum;
}
KERNEL race_tile_reuse_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float tile[64];
	float sum = 0.0f;

	for (int first = 0; first < 3; first++) {
		tile[T] = x[(T + first) % n];
		__syncthreads();
		sum += tile[63 - T];
		__syncthreads();
	}
	if (blockIdx.x == 0 && T < n)
		y[T] = sum;
}

KERNEL race_no_syncwarp(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 1];                                /* BUG */
}
KERNEL race_no_syncwarp_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncwarp();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 1];
}

KERNEL race_warp_for_block(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncwarp();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 32];                               /* BUG */
}
KERNEL race_warp_for_block_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 32];
}

KERNEL race_half_mask(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncwarp(LANE < 16 ? 0x0000ffffu : 0xffff0000u);
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 16];                               /* BUG */
}
KERNEL race_half_mask_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncwarp(LANE < 16 ? 0x0000ffffu : 0xffff0000u);
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 8];
}

/* A shuffle synchronizes lanes but does not order memory accesses. */
KERNEL race_shuffle(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	float v;

	s[T] = x[T % n];
	v = __shfl_xor_sync(0xffffffffu, x[T % n], 1);
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 1] + v;                            /* BUG */
}
KERNEL race_shuffle_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	float v;

	s[T] = x[T % n];
	v = __shfl_xor_sync(0xffffffffu, x[T % n], 1);
	__syncwarp();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T ^ 1] + v;
}

/* Warps ran in lockstep before sm_70. */
KERNEL race_volatile_warp(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];
	volatile float *v = s;

	s[T] = x[T % n];
	__syncthreads();
	if (T < 32) {
		v[T] += v[T + 32];
		v[T] += v[T + 16];                              /* BUG */
	}
}
KERNEL race_volatile_warp_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	s[T] = x[T % n];
	__syncthreads();
	if (T < 32) {
		s[T] += s[T + 32];
		__syncwarp();
		if (T < 16)
			s[T] += s[T + 16];
	}
}

KERNEL race_counter(const float *x, float *y, int *flags, int n)
{
	__shared__ int count;

	if (T == 0)
		count = 0;
	__syncthreads();
	count++;                                                /* BUG */
}
KERNEL race_counter_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int count;

	if (T == 0)
		count = 0;
	__syncthreads();
	atomicAdd(&count, 1);
}

KERNEL race_atomic_and_plain(const float *x, float *y, int *flags, int n)
{
	__shared__ int count;

	if (T == 0)
		count = 0;
	__syncthreads();
	atomicAdd(&count, 1);
	if (T < n && blockIdx.x == 0)
		y[T] = count;                                   /* BUG */
}
KERNEL race_atomic_and_plain_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int count;

	if (T == 0)
		count = 0;
	__syncthreads();
	atomicAdd(&count, 1);
	__syncthreads();
	if (T < n && blockIdx.x == 0)
		y[T] = count;
}

KERNEL race_flag_of_block(const float *x, float *y, int *flags, int n)
{
	__shared__ int found;

	if (T == 0)
		found = 0;
	__syncthreads();
	if (T == 40)
		found = 1;
	if (T < n && blockIdx.x == 0)
		y[T] = found;                                   /* BUG */
}
KERNEL race_flag_of_block_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ int found;

	if (T == 0)
		found = 0;
	__syncthreads();
	if (T == 40)
		found = 1;
	__syncthreads();
	if (T < n && blockIdx.x == 0)
		y[T] = found;
}

KERNEL race_dynamic(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	if (T < 32)
		tile[T] = x[T];
	if (blockIdx.x == 0 && T < n)
		y[T] = tile[LANE];                              /* BUG */
}
KERNEL race_dynamic_clean(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	if (T < 32)
		tile[T] = x[T];
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = tile[LANE];
}

KERNEL race_bytes(const float *x, float *y, int *flags, int n)
{
	__shared__ unsigned char s[64];

	s[T / 2] = (unsigned char)T;                            /* BUG */
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T / 2];
}
KERNEL race_bytes_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ unsigned char s[64];

	s[T] = (unsigned char)T;
	__syncthreads();
	if (blockIdx.x == 0 && T < n)
		y[T] = s[T];
}

/* A whole warp reads s, and then its first or last lane writes it. */
KERNEL race_broadcast(const float *x, float *y, int *flags, int n)
{
	__shared__ float s;

	if (T == 0)
		s = x[0];
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s;
	if (T == 31 * (int)blockIdx.x)
		s = 2.0f;                                       /* BUG */
}
KERNEL race_broadcast_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s;

	if (T == 0)
		s = x[0];
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s;
	__syncthreads();
	if (T == 31 * (int)blockIdx.x)
		s = 2.0f;
}
KERNEL race_memcpy(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[8];

	if (T == 40)
		memcpy(s, x, sizeof s);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];                                    /* BUG */
}
KERNEL race_memcpy_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[8];

	if (T == 40)
		memcpy(s, x, sizeof s);
	__syncthreads();
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}

/* A thread waits only for its own copies. */
KERNEL race_async(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[32];

	if (T < 32)
		__pipeline_memcpy_async(&s[T], &x[T], sizeof *s);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[31 - T];                               /* BUG */
}
KERNEL race_async_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[32];

	if (T < 32)
		__pipeline_memcpy_async(&s[T], &x[T], sizeof *s);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[31 - T];
}
