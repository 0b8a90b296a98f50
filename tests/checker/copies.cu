/* copies.cu - asynchronous copies whose source or destination is touched before their wait.
 *
 * oob.cu describes the conventions; a block has 64 threads.
 */
#include "kernels/kernel.h"
#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

#define T ((int)threadIdx.x)

/* A copy may read its source until the wait. */
KERNEL copy_source_own(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (blockIdx.x == 0)
		__pipeline_memcpy_async(&s[T], (float *)&flags[T], sizeof *s);
	__pipeline_commit();
	if (blockIdx.x == 0)
		flags[T] = T;                                   /* BUG */
	__pipeline_wait_prior(0);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}
KERNEL copy_source_own_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (blockIdx.x == 0)
		__pipeline_memcpy_async(&s[T], (float *)&flags[T], sizeof *s);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	if (blockIdx.x == 0)
		flags[T] = T;
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}

/* The thread that copies waits only after both barriers. */
KERNEL copy_source_barriers(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (T < 32 && blockIdx.x == 0)
		__pipeline_memcpy_async(&s[T], (float *)&flags[T], sizeof *s);
	__pipeline_commit();
	__syncthreads();
	if (T >= 32 && blockIdx.x == 0)
		flags[T - 32] = T;                              /* BUG */
	__syncthreads();
	__pipeline_wait_prior(0);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}
KERNEL copy_source_barriers_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (T < 32 && blockIdx.x == 0)
		__pipeline_memcpy_async(&s[T], (float *)&flags[T], sizeof *s);
	__pipeline_commit();
	__syncthreads();
	__pipeline_wait_prior(0);
	__syncthreads();
	if (T >= 32 && blockIdx.x == 0)
		flags[T - 32] = T;
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}

/* One word as the source of two copies: the second value replaces the first too early. */
KERNEL copy_source_reused(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[2];

	if (T == 0 && blockIdx.x == 0) {
		for (int i = 0; i < 2; i++) {
			y[32] = x[i];                           /* BUG */
			__pipeline_memcpy_async(&s[i], &y[32], sizeof *s);
			__pipeline_commit();
		}
		__pipeline_wait_prior(0);
		y[0] = s[0] + s[1];
	}
}
KERNEL copy_source_reused_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[2];

	if (T == 0 && blockIdx.x == 0) {
		for (int i = 0; i < 2; i++) {
			y[32] = x[i];
			__pipeline_memcpy_async(&s[i], &y[32], sizeof *s);
			__pipeline_commit();
			__pipeline_wait_prior(0);
		}
		y[0] = s[0] + s[1];
	}
}

KERNEL copy_target_own(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[T], &x[T % n], sizeof *s);
	__pipeline_commit();
	if (T >= n)
		s[T] = -1.0f;                                   /* BUG */
	__pipeline_wait_prior(0);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}
KERNEL copy_target_own_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[T], &x[T % n], sizeof *s);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	if (T >= n)
		s[T] = -1.0f;
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}

KERNEL copy_target_barriers(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (T < 32)
		__pipeline_memcpy_async(&s[T], &x[T], sizeof *s);
	__pipeline_commit();
	__syncthreads();
	if (T >= 32)
		s[T - 32] = -1.0f;                              /* BUG */
	__syncthreads();
	__pipeline_wait_prior(0);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}
KERNEL copy_target_barriers_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (T < 32)
		__pipeline_memcpy_async(&s[T], &x[T], sizeof *s);
	__pipeline_commit();
	__syncthreads();
	if (T >= 32)
		s[T] = -1.0f;
	__syncthreads();
	__pipeline_wait_prior(0);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}

/* A read of what the copy has not delivered yet. */
KERNEL copy_target_early(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[T], &x[T % n], sizeof *s);
	__pipeline_commit();
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];                                    /* BUG */
	__pipeline_wait_prior(0);
}
KERNEL copy_target_early_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[T], &x[T % n], sizeof *s);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	if (T < 8 && blockIdx.x == 0)
		y[T] = s[T];
}
