/* bulk.cu - the asynchronous copies of sim/cuda/async.h without their wait, or with one too little.
 *
 * oob.cu describes the conventions; a block has 64 threads, and only the first 32 floats of x are
 * copied.
 */
#include "kernels/kernel.h"
#include "sim/cuda/async.h"

#define T ((int)threadIdx.x)
#define BYTES (32 * (unsigned)sizeof(float))

/* --- copies of 16 bytes --- */

KERNEL async_no_wait(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[64];

	if (T < 8)
		async_copy16(&s[4 * T], &x[4 * T]);
	async_commit();
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];                                    /* BUG */
}
KERNEL async_no_wait_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[64];

	if (T < 8)
		async_copy16(&s[4 * T], &x[4 * T]);
	async_commit();
	async_wait(0);
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
}

/* Two stages, of which the wait leaves one more than it should. */
KERNEL async_one_group_more(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[2][16];

	for (int i = 0; i < 2; i++) {
		if (T < 4)
			async_copy16_part(&s[i][4 * T], &x[16 * i + 4 * T], 16);
		async_commit();
	}
	async_wait(1);
	__syncthreads();
	if (T < 16 && blockIdx.x == 0)
		y[T] = s[1][T];                                 /* BUG */
}
KERNEL async_one_group_more_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[2][16];

	for (int i = 0; i < 2; i++) {
		if (T < 4)
			async_copy16_part(&s[i][4 * T], &x[16 * i + 4 * T], 16);
		async_commit();
	}
	async_wait(1);
	__syncthreads();
	if (T < 16 && blockIdx.x == 0)
		y[T] = s[0][T];
}

/* --- bulk copies --- */

KERNEL bulk_no_wait(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
		async_bulk_load(s, x, BYTES, &full);
	}
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];                                    /* BUG */
}
KERNEL bulk_no_wait_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
		async_bulk_load(s, x, BYTES, &full);
	}
	__syncthreads();
	mbarrier_wait(&full, 0);
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
}

/* Only the second warp waits, and nothing orders the first warp after it. */
KERNEL bulk_one_waits(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 32) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		async_bulk_load(s, x, BYTES, &full);
		mbarrier_expect(&full, BYTES);
		mbarrier_wait(&full, 0);
	}
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];                                    /* BUG */
}
KERNEL bulk_one_waits_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];
	__shared__ uint64_t full;

	if (T == 32) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		async_bulk_load(s, x, BYTES, &full);
		mbarrier_expect(&full, BYTES);
		mbarrier_wait(&full, 0);
	}
	__syncthreads();
	if (T < 32 && blockIdx.x == 0)
		y[T] = s[T];
}

/* A pipeline of one stage: the second copy may overtake reads of the first, unless the readers say
 * that the stage is empty. */
KERNEL bulk_refilled(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[16];
	__shared__ uint64_t full;

	if (T == 32) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
	}
	__syncthreads();
	for (int i = 0; i < 2; i++) {
		if (T == 32) {
			mbarrier_expect(&full, sizeof s);
			async_bulk_load(s, &x[16 * i], sizeof s, &full);        /* BUG */
		}
		mbarrier_wait(&full, i % 2);
		if (T < 16 && blockIdx.x == 0)
			y[16 * i + T] = s[T];
	}
}
KERNEL bulk_refilled_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[16];
	__shared__ uint64_t full, empty;

	if (T == 32) {
		mbarrier_init(&full, 1);
		mbarrier_init(&empty, 64);
		mbarrier_init_fence();
	}
	__syncthreads();
	for (int i = 0; i < 2; i++) {
		if (T == 32) {
			mbarrier_wait(&empty, i % 2 ^ 1);
			mbarrier_expect(&full, sizeof s);
			async_bulk_load(s, &x[16 * i], sizeof s, &full);
		}
		mbarrier_wait(&full, i % 2);
		if (T < 16 && blockIdx.x == 0)
			y[16 * i + T] = s[T];
		mbarrier_arrive(&empty);
	}
}

/* A copy may read its source until it lands. */
KERNEL bulk_source_written(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) int s[32];
	__shared__ uint64_t full;

	if (T == 0 && blockIdx.x == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
		async_bulk_load(s, flags, BYTES, &full);
		flags[0] = 1;                                   /* BUG */
		mbarrier_wait(&full, 0);
		y[0] = (float)s[1];
	}
}
KERNEL bulk_source_written_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) int s[32];
	__shared__ uint64_t full;

	if (T == 0 && blockIdx.x == 0) {
		mbarrier_init(&full, 1);
		mbarrier_init_fence();
		mbarrier_expect(&full, BYTES);
		async_bulk_load(s, flags, BYTES, &full);
		mbarrier_wait(&full, 0);
		flags[0] = 1;
		y[0] = (float)s[1];
	}
}

/* --- bulk stores --- */

KERNEL bulk_store_rewritten(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];

	if (T < 32)
		s[T] = x[T];
	async_bulk_fence();
	__syncthreads();
	if (T == 0 && blockIdx.x == 0) {
		async_bulk_store(y, s, BYTES);
		async_bulk_commit();
		s[0] = -1.0f;                                   /* BUG */
		async_bulk_wait(0);
	}
}
KERNEL bulk_store_rewritten_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ __align__(16) float s[32];

	if (T < 32)
		s[T] = x[T];
	async_bulk_fence();
	__syncthreads();
	if (T == 0 && blockIdx.x == 0) {
		async_bulk_store(y, s, BYTES);
		async_bulk_commit();
		async_bulk_wait_read(0);
		s[0] = -1.0f;
		async_bulk_wait(0);
	}
}
