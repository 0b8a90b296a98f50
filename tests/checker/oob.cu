/* oob.cu - out-of-bounds accesses to global, shared and local memory.
 *
 * Every kernel has two versions: with one bug, on the line marked BUG, and without (NAME_clean).
 * A launch has 2 blocks of 32 threads. x and y hold n = 60 floats; x is initialised, y is not.
 * flags holds 64 zeros. Dynamic shared memory is 32 floats.
 */
#include "kernels/kernel.h"

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
struct pair { float a, b; };

KERNEL oob_no_guard(const float *x, float *y, int *flags, int n)
{
	y[I] = 1.0f;                                            /* BUG */
}
KERNEL oob_no_guard_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = 1.0f;
}

KERNEL oob_off_by_one(const float *x, float *y, int *flags, int n)
{
	if (I <= n)
		y[I] = 1.0f;                                    /* BUG */
}
KERNEL oob_off_by_one_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = 1.0f;
}

KERNEL oob_neighbour(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = x[I + 1] - x[I];                         /* BUG */
}
KERNEL oob_neighbour_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = I + 1 < n ? x[I + 1] - x[I] : 0.0f;
}

KERNEL oob_before(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = x[I - 1];                                /* BUG */
}
KERNEL oob_before_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = I > 0 ? x[I - 1] : 0.0f;
}

KERNEL oob_float4(const float *x, float *y, int *flags, int n)
{
	const float4 *rows = (const float4 *)x;
	int row = I / 4;

	float4 v = rows[row];                                   /* BUG */
	if (I < n)
		y[I] = v.x + v.y + v.z + v.w;
}
KERNEL oob_float4_clean(const float *x, float *y, int *flags, int n)
{
	const float4 *rows = (const float4 *)x;
	int row = I / 4;

	if (I < n) {
		float4 v = rows[row];
		y[I] = v.x + v.y + v.z + v.w;
	}
}

KERNEL oob_struct(const float *x, float *y, int *flags, int n)
{
	struct pair *pairs = (struct pair *)y;

	if (I < n)
		pairs[I].b = 1.0f;                              /* BUG */
}
KERNEL oob_struct_clean(const float *x, float *y, int *flags, int n)
{
	struct pair *pairs = (struct pair *)y;

	if (I < n / 2)
		pairs[I].b = 1.0f;
}

KERNEL oob_null(const float *x, float *y, int *flags, int n)
{
	const float *from = n > 60 ? x : NULL;

	if (I < n)
		y[I] = from[I];                                 /* BUG */
}
KERNEL oob_null_clean(const float *x, float *y, int *flags, int n)
{
	const float *from = n > 60 ? NULL : x;

	if (I < n)
		y[I] = from[I];
}

KERNEL oob_wrapped(const float *x, float *y, int *flags, int n)
{
	unsigned last = I - 1;

	if (I < n)
		y[last] = 1.0f;                                 /* BUG */
}
KERNEL oob_wrapped_clean(const float *x, float *y, int *flags, int n)
{
	unsigned last = I - 1;

	if (last < (unsigned)n)
		y[last] = 1.0f;
}

KERNEL oob_row_length(const float *x, float *y, int *flags, int n)
{
	int row = threadIdx.x / 8, column = threadIdx.x % 8;

	if (blockIdx.x == 0)
		y[threadIdx.x] = x[row * 17 + column + 8];      /* BUG */
}
KERNEL oob_row_length_clean(const float *x, float *y, int *flags, int n)
{
	int row = threadIdx.x / 8, column = threadIdx.x % 8;

	if (blockIdx.x == 0)
		y[threadIdx.x] = x[row * 12 + column + 8];
}

KERNEL oob_walk(const float *x, float *y, int *flags, int n)
{
	float sum = 0.0f;

	for (const float *at = x; at <= x + n; at++)
		sum += *at;                                     /* BUG */
	if (I < n)
		y[I] = sum;
}
KERNEL oob_walk_clean(const float *x, float *y, int *flags, int n)
{
	float sum = 0.0f;

	for (const float *at = x; at < x + n; at++)
		sum += *at;
	if (I < n)
		y[I] = sum;
}

KERNEL oob_memcpy(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memcpy(y, x, (n + 1) * sizeof *y);              /* BUG */
}
KERNEL oob_memcpy_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memcpy(y, x, n * sizeof *y);
}

KERNEL oob_atomic(const float *x, float *y, int *flags, int n)
{
	atomicAdd(&flags[I + 1], 1);                            /* BUG */
}
KERNEL oob_atomic_clean(const float *x, float *y, int *flags, int n)
{
	atomicAdd(&flags[I], 1);
}

KERNEL oob_local(const float *x, float *y, int *flags, int n)
{
	float sums[4] = { 0.0f, 0.0f, 0.0f, 0.0f };

	for (int k = 0; k <= n / 15; k++)
		sums[k] += x[k];                                /* BUG */
	if (I < n)
		y[I] = sums[0] + sums[1] + sums[2] + sums[3];
}
KERNEL oob_local_clean(const float *x, float *y, int *flags, int n)
{
	float sums[4] = { 0.0f, 0.0f, 0.0f, 0.0f };

	for (int k = 0; k < n / 15; k++)
		sums[k] += x[k];
	if (I < n)
		y[I] = sums[0] + sums[1] + sums[2] + sums[3];
}

KERNEL oob_shared(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[32];

	s[threadIdx.x + 1] = 1.0f;                              /* BUG */
	__syncthreads();
	if (I < n)
		y[I] = s[threadIdx.x ? threadIdx.x : 1];
}
KERNEL oob_shared_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float s[33];

	s[threadIdx.x + 1] = 1.0f;
	__syncthreads();
	if (I < n)
		y[I] = s[threadIdx.x ? threadIdx.x : 1];
}

KERNEL oob_dynamic(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	tile[threadIdx.x + 1] = 1.0f;                           /* BUG */
}
KERNEL oob_dynamic_clean(const float *x, float *y, int *flags, int n)
{
	extern __shared__ float tile[];

	tile[threadIdx.x] = 1.0f;
}

KERNEL oob_memset(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memset(y, 0, n * sizeof *y + 1);                /* BUG */
}
KERNEL oob_memset_clean(const float *x, float *y, int *flags, int n)
{
	if (I == 0)
		memset(y, 0, n * sizeof *y);
}
