/* tables.cu - pointers loaded from memory, and buffers that no argument points to.
 *
 * flags begins with a table of pointers: x, y, a freed buffer, NULL. Then follow the distance in
 * floats from x to a buffer that the kernel must not access, and zeros. oob.cu describes the other
 * conventions.
 */
#include "kernels/kernel.h"

#define I ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define TABLE ((float *const *)flags)
#define FAR (((const long long *)flags)[4])
enum { X, Y, FREED, NOTHING };

KERNEL oob_other_buffer(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = x[FAR + I];                              /* BUG */
}
KERNEL oob_other_buffer_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		y[I] = x[FAR > 0 ? I : 0];
}

KERNEL oob_other_written(const float *x, float *y, int *flags, int n)
{
	float *all = TABLE[X];

	if (I < n)
		all[FAR + I] = 1.0f;                            /* BUG */
}
KERNEL oob_other_written_clean(const float *x, float *y, int *flags, int n)
{
	float *all = TABLE[Y];

	if (I < n)
		all[I] = 1.0f;
}

KERNEL oob_other_atomic(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		atomicAdd(&TABLE[X][FAR], 1.0f);                /* BUG */
}
KERNEL oob_other_atomic_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		atomicAdd(&TABLE[X][1], 1.0f);
}

KERNEL oob_table_past_end(const float *x, float *y, int *flags, int n)
{
	const float *row = TABLE[I % 2 ? Y : X];

	if (I < n && row == x)
		y[I] = row[I + 4];                              /* BUG */
}
KERNEL oob_table_past_end_clean(const float *x, float *y, int *flags, int n)
{
	const float *row = TABLE[I % 2 ? Y : X];

	if (I < n && row == x)
		y[I] = row[I + 4 < n ? I + 4 : 0];
}

KERNEL oob_table_freed(const float *x, float *y, int *flags, int n)
{
	const float *old = TABLE[FREED];

	if (I < n)
		y[I] = old[I];                                  /* BUG */
}
KERNEL oob_table_freed_clean(const float *x, float *y, int *flags, int n)
{
	const float *old = TABLE[FREED];

	if (I < n)
		y[I] = old ? x[I] : 0.0f;
}

KERNEL oob_table_null(const float *x, float *y, int *flags, int n)
{
	const float *row = TABLE[NOTHING];

	if (I < n)
		y[I] = row[I];                                  /* BUG */
}
KERNEL oob_table_null_clean(const float *x, float *y, int *flags, int n)
{
	const float *row = TABLE[NOTHING];

	if (I < n)
		y[I] = row ? row[I] : x[I];
}

KERNEL table_unwritten(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		TABLE[Y][I] += TABLE[X][I];                     /* BUG */
}
KERNEL table_unwritten_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		TABLE[Y][I] = TABLE[X][I];
}

KERNEL table_misaligned(const float *x, float *y, int *flags, int n)
{
	const char *row = (const char *)TABLE[X] + 2;

	if (I + 1 < n)
		y[I] = *(const float *)(row + 4 * I);           /* BUG */
}
KERNEL table_misaligned_clean(const float *x, float *y, int *flags, int n)
{
	const char *row = (const char *)TABLE[X] + 4;

	if (I + 1 < n)
		y[I] = *(const float *)(row + 4 * I);
}

KERNEL table_same_row(const float *x, float *y, int *flags, int n)
{
	TABLE[Y][threadIdx.x] = x[threadIdx.x] + (float)blockIdx.x;   /* BUG */
}
KERNEL table_same_row_clean(const float *x, float *y, int *flags, int n)
{
	if (I < n)
		TABLE[Y][I] = x[I] + (float)blockIdx.x;
}

/* A pointer that one thread passes to another through shared memory. */
KERNEL table_passed_on(const float *x, float *y, int *flags, int n)
{
	__shared__ float *rows[32];

	rows[threadIdx.x] = y + (I < n ? I : 0);
	*rows[threadIdx.x ? threadIdx.x - 1 : 0] = 1.0f;        /* BUG */
}
KERNEL table_passed_on_clean(const float *x, float *y, int *flags, int n)
{
	__shared__ float *rows[32];

	rows[threadIdx.x] = y + (I < n ? I : 0);
	__syncthreads();
	if (I < n)
		*rows[threadIdx.x] = 1.0f;
}
