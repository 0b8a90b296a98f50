/* accesses.cu - accesses that are one range of bytes, or go through a pointer to a known variable.
 *
 * oob.cu describes the conventions. Like users' files, this one is also compiled with
 * -fsanitize=alignment and -fsanitize=object-size.
 */
#include "kernels/kernel.h"
#ifdef __CUDACC__
#define __builtin_memcpy memcpy
#define __builtin_memset memset
#endif

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
struct __align__(16) quad { float a, b, c, d; };
struct quads { struct quad first, second; };

KERNEL misaligned_struct(const float *x, float *y, int *flags, int n)
{
	struct quad *to = (struct quad *)(y + 2);

	if (I == 0)
		*to = *(const struct quad *)x;                  /* BUG */
}
KERNEL misaligned_struct_clean(const float *x, float *y, int *flags, int n)
{
	struct quad *to = (struct quad *)(y + 4);

	if (I == 0)
		*to = *(const struct quad *)x;
}

KERNEL misaligned_range(const float *x, float *y, int *flags, int n)
{
	struct quads *to = (struct quads *)y;

	if (I == 0)
		*to = *(const struct quads *)(x + 1);           /* BUG */
}
KERNEL misaligned_range_clean(const float *x, float *y, int *flags, int n)
{
	struct quads *to = (struct quads *)y;

	if (I == 0)
		*to = *(const struct quads *)(x + 4);
}

KERNEL misaligned_local(const float *x, float *y, int *flags, int n)
{
	__align__(16) float copy[8];

	for (int i = 0; i < 8; i++)
		copy[i] = x[i];
	if (I < n)
		y[I] = ((const double *)(copy + 1))[n > 60] > 0 ? 1.0f : 0.0f;  /* BUG */
}
KERNEL misaligned_local_clean(const float *x, float *y, int *flags, int n)
{
	__align__(16) float copy[8];

	for (int i = 0; i < 8; i++)
		copy[i] = x[i];
	if (I < n)
		y[I] = ((const double *)(copy + 2))[n > 60] > 0 ? 1.0f : 0.0f;
}

KERNEL oob_local_pointer(const float *x, float *y, int *flags, int n)
{
	float sums[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
	float *sum = sums;

	for (int k = 0; k <= n / 15; k++)
		sum[k] += x[k];                                 /* BUG */
	if (I < n)
		y[I] = sums[0] + sums[1] + sums[2] + sums[3];
}
KERNEL oob_local_pointer_clean(const float *x, float *y, int *flags, int n)
{
	float sums[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
	float *sum = sums;

	for (int k = 0; k < n / 15; k++)
		sum[k] += x[k];
	if (I < n)
		y[I] = sums[0] + sums[1] + sums[2] + sums[3];
}

static __device__ float scales[32];

KERNEL oob_device_pointer(const float *x, float *y, int *flags, int n)
{
	const float *scale = scales;

	if (I < n)
		y[I] = scale[I] * x[I];                         /* BUG */
}
KERNEL oob_device_pointer_clean(const float *x, float *y, int *flags, int n)
{
	const float *scale = scales;

	if (I < n)
		y[I] = scale[I % 32] * x[I];
}

KERNEL oob_builtin_memcpy(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		__builtin_memcpy(y, x, (n + 1) * sizeof *y);    /* BUG */
}
KERNEL oob_builtin_memcpy_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		__builtin_memcpy(y, x, n * sizeof *y);
}

KERNEL oob_builtin_memset(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		__builtin_memset(y, 0, (n + 1) * sizeof *y);    /* BUG */
}
KERNEL oob_builtin_memset_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		__builtin_memset(y, 0, n * sizeof *y);
}

__constant__ float limits[32] = { 1.0f, 2.0f };
static __device__ float settings[32] = { 1.0f, 2.0f };

KERNEL constant_store(const float *x, float *y, int *flags, int n)
{
	float *limit = (float *)limits;

	if (I < 32)
		limit[I] = x[I];                                /* BUG */
}
KERNEL constant_store_clean(const float *x, float *y, int *flags, int n)
{
	float *setting = settings;

	if (I < 32)
		setting[I] = limits[I] + x[I];
}

KERNEL constant_atomic(const float *x, float *y, int *flags, int n)
{
	atomicAdd((float *)&limits[n % 32], 1.0f);              /* BUG */
}
KERNEL constant_atomic_clean(const float *x, float *y, int *flags, int n)
{
	atomicAdd(&settings[n % 32], 1.0f);
}

KERNEL constant_memset(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memset((void *)limits, 0, n);                   /* BUG */
}
KERNEL constant_memset_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memset((void *)settings, 0, n);
}
