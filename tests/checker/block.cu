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
