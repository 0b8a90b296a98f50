/* memory.cu - accesses within an allocation that are misaligned or read bytes never written.
 *
 * oob.cu describes the conventions.
 */
#include "kernels/kernel.h"
#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
struct row { float key, value; int length; };

KERNEL misaligned_float4(const float *x, float *y, int *flags, int n)
{
	float4 v = *(const float4 *)(x + 1);                    /* BUG */

	if (I < n)
		y[I] = v.x + v.w;
}
KERNEL misaligned_float4_clean(const float *x, float *y, int *flags, int n)
{
	float4 v = *(const float4 *)(x + 4);

	if (I < n)
		y[I] = v.x + v.w;
}

KERNEL misaligned_float2(const float *x, float *y, int *flags, int n)
{
	if (I < n / 2 - 1) {
		float2 v = ((const float2 *)(x + 1))[I];        /* BUG */
		y[I] = v.x + v.y;
	}
}
KERNEL misaligned_float2_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n / 2 - 1) {
		float2 v = ((const float2 *)(x + 2))[I];
		y[I] = v.x + v.y;
	}
}

KERNEL misaligned_long(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		*(long long *)(flags + 1) = n;                  /* BUG */
}
KERNEL misaligned_long_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		*(long long *)(flags + 2) = n;
}

KERNEL misaligned_bytes(const float *x, float *y, int *flags, int n)
{
	char *bytes = (char *)flags;

	if (I == 0)
		*(int *)(bytes + 2) = n;                        /* BUG */
}
KERNEL misaligned_bytes_clean(const float *x, float *y, int *flags, int n)
{
	char *bytes = (char *)flags;

	if (I == 0)
		*(int *)(bytes + 8) = n;
}

KERNEL misaligned_shared(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	if (threadIdx.x == 0)
		*(float2 *)(tile + 1) = make_float2(1.0f, 2.0f);        /* BUG */
}
KERNEL misaligned_shared_clean(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	if (threadIdx.x == 0)
		*(float2 *)(tile + 2) = make_float2(1.0f, 2.0f);
}

KERNEL uninit_accumulate(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] += x[I];                                   /* BUG */
}
KERNEL uninit_accumulate_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = x[I];
}

KERNEL uninit_shared(const float *x, float *y, int *flags, int n)
{
	__shared__ float sum;

	if (threadIdx.x == 0)
		sum += x[0];                                    /* BUG */
}
KERNEL uninit_shared_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float sum;

	if (threadIdx.x == 0) {
		sum = 0.0f;
		sum += x[0];
	}
}

KERNEL uninit_tail(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[32];

	if (threadIdx.x < 30)
		s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	if (I < n)
		y[I] = s[31 - threadIdx.x];                     /* BUG */
}
KERNEL uninit_tail_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[32];

	s[threadIdx.x] = threadIdx.x < 30 ? x[threadIdx.x] : 0.0f;
	__syncthreads();
	if (I < n)
		y[I] = s[31 - threadIdx.x];
}

KERNEL uninit_dynamic(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	if (threadIdx.x % 2 == 0)
		tile[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	if (I < n)
		y[I] = tile[threadIdx.x];                       /* BUG */
}
KERNEL uninit_dynamic_clean(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	tile[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	if (I < n)
		y[I] = tile[threadIdx.x];
}

KERNEL uninit_field(const float *x, float *y, int *flags, int n)
{
	__shared__ struct row rows[32];

	rows[threadIdx.x].key = x[threadIdx.x];
	if (I < n)
		y[I] = rows[threadIdx.x].value;                 /* BUG */
}
KERNEL uninit_field_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ struct row rows[32];

	rows[threadIdx.x].key = x[threadIdx.x];
	if (I < n)
		y[I] = rows[threadIdx.x].key;
}

KERNEL uninit_part_of_float4(const float *x, float *y, int *flags, int n)
{
	__shared__ float4 v;

	if (threadIdx.x == 0) {
		v.x = 1.0f;
		v.y = 2.0f;
		v.z = 3.0f;
		float4 copy = v;                                /* BUG */
		y[blockIdx.x] = copy.x + copy.w;
	}
}
KERNEL uninit_part_of_float4_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float4 v;

	if (threadIdx.x == 0) {
		v.x = 1.0f;
		v.y = 2.0f;
		v.z = 3.0f;
		v.w = 4.0f;
		float4 copy = v;
		y[blockIdx.x] = copy.x + copy.w;
	}
}

KERNEL uninit_byte(const float *x, float *y, int *flags, int n)
{
	unsigned char *bytes = (unsigned char *)y;

	if (I == 0) {
		bytes[0] = 1;
		bytes[1] = 2;
		flags[0] = bytes[1] + bytes[2];                 /* BUG */
	}
}
KERNEL uninit_byte_clean(const float *x, float *y, int *flags, int n)
{
	unsigned char *bytes = (unsigned char *)y;

	if (I == 0) {
		bytes[0] = 1;
		bytes[1] = 2;
		flags[0] = bytes[1] + bytes[0];
	}
}

KERNEL uninit_atomic(const float *x, float *y, int *flags, int n)
{
	atomicAdd(&y[0], 1.0f);                                 /* BUG */
}
KERNEL uninit_atomic_clean(const float *x, float *y, int *flags, int n)
{
	atomicAdd(&flags[0], 1);
}

/* Thread 0 races with thread 1 on s[0]; s[1], which it also reads, is never written. */
KERNEL uninit_beside_race(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (threadIdx.x == 1)
		s[0] = x[0];
	if (threadIdx.x == 0)
		for (int k = 0; k < 2; k++)
			flags[k] = (int)s[k];                   /* BUG */
}
KERNEL uninit_beside_race_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	if (threadIdx.x < 2)
		s[threadIdx.x] = x[0];
	__syncthreads();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		for (int k = 0; k < 2; k++)
			flags[k] = (int)s[k];
}

KERNEL uninit_memcpy(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memcpy(flags, y, n);                            /* BUG */
}
KERNEL uninit_memcpy_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0) {
		memset(y, 0, n);
		memcpy(flags, y, n);
	}
}

/* Asynchronous copies arrive at the wait for their group. */
KERNEL uninit_async(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[threadIdx.x], &x[0], sizeof *s);
	__pipeline_commit();
	__pipeline_memcpy_async(&s[32 + threadIdx.x], &x[1], sizeof *s);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	y[I % 32] = s[threadIdx.x];
	y[32 + I % 28] = s[32 + threadIdx.x];                   /* BUG */
}
KERNEL uninit_async_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[64];

	__pipeline_memcpy_async(&s[threadIdx.x], &x[0], sizeof *s);
	__pipeline_commit();
	__pipeline_memcpy_async(&s[32 + threadIdx.x], &x[1], sizeof *s,
				threadIdx.x % 2 * 4);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	if (I < 32)
		y[I] = s[threadIdx.x];
	__pipeline_wait_prior(0);
	if (I < 28)
		y[32 + I] = s[32 + threadIdx.x];
}

KERNEL misaligned_async(const float *x, float *y, int *flags, int n)
{
	__shared__ float4 s[32];

	__pipeline_memcpy_async((float *)&s[0] + 2, &x[0], sizeof *s);  /* BUG */
}
KERNEL misaligned_async_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float4 s[32];

	__pipeline_memcpy_async(&s[threadIdx.x], &x[0], sizeof *s, 4);
}
