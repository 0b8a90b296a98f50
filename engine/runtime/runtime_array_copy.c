/* runtime_array_copy.c - copies to and from CUDA arrays.
 *
 * Each becomes a copy of the array's memory, which copy_submit() gives to a stream.
 */
#include "config.h"

#include "engine/runtime/runtime_array.h"

/* One side of a copy: memory, or a place in an array. */
struct side {
	char *at;
	size_t pitch;           /* 0: not given, for linear copies */
	const struct cudaArray *array;  /* NULL: memory */
	size_t x, y;            /* in bytes and rows, where the copy begins */
};

static struct side memory_side(const void *pointer, size_t pitch)
{
	return (struct side){ .at = (char *)(uintptr_t)pointer, .pitch = pitch };
}

static cudaError_t array_side(cudaArray_const_t handle, size_t x, size_t y, struct side *out)
{
	const struct cudaArray *a;

	TRY_CUDA(array_find(handle, &a));
	if (x >= a->row || y >= a->height * a->slices)
		return cudaErrorInvalidValue;
	*out = (struct side){ .at = a->texels + y * a->row + x, .pitch = a->row, .array = a,
			      .x = x, .y = y };
	return cudaSuccess;
}

/* --- count bytes, which go on in the next row of an array --- */

static cudaError_t linear(struct side to, struct side from, size_t bytes, enum cudaMemcpyKind kind,
			  cudaStream_t stream, bool waited)
{
	struct copy_work copy;

	return copy_submit(stream, copy_linear(to.at, from.at, bytes, kind, &copy), copy, waited);
}

static cudaError_t to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
			    enum cudaMemcpyKind kind, cudaStream_t stream, bool waited)
{
	struct side to;

	TRY_CUDA(array_side(dst, x, y, &to));
	return linear(to, memory_side(src, 0), bytes, kind, stream, waited);
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
			      size_t count, enum cudaMemcpyKind kind)
{
	return API(to_array(dst, wOffset, hOffset, src, count, kind, NULL, true));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
				   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return API(to_array(dst, wOffset, hOffset, src, count, kind, stream, false));
}

static cudaError_t from_array(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
			      enum cudaMemcpyKind kind, cudaStream_t stream, bool waited)
{
	struct side from;

	TRY_CUDA(array_side(src, x, y, &from));
	return linear(memory_side(dst, 0), from, bytes, kind, stream, waited);
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
				size_t count, enum cudaMemcpyKind kind)
{
	return API(from_array(dst, src, wOffset, hOffset, count, kind, NULL, true));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
				     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
				     cudaStream_t stream)
{
	return API(from_array(dst, src, wOffset, hOffset, count, kind, stream, false));
}

static cudaError_t array_to_array(cudaArray_t dst, size_t to_x, size_t to_y, cudaArray_const_t src,
				  size_t from_x, size_t from_y, size_t bytes,
				  enum cudaMemcpyKind kind)
{
	struct side to, from;

	TRY_CUDA(array_side(dst, to_x, to_y, &to));
	TRY_CUDA(array_side(src, from_x, from_y, &from));
	return linear(to, from, bytes, kind, NULL, true);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
				   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
				   size_t count, enum cudaMemcpyKind kind)
{
	return API(array_to_array(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count,
				  kind));
}

/* --- rows --- */

/* Whether the rectangle is in the array. */
static bool fits(const struct side *s, size_t width, size_t height)
{
	const struct cudaArray *a = s->array;

	return !a || (width <= a->row - s->x && height <= a->height * a->slices - s->y);
}

static cudaError_t rows(struct side to, struct side from, size_t width, size_t height,
			enum cudaMemcpyKind kind, cudaStream_t stream, bool waited)
{
	struct copy_work copy = { 0 };
	cudaError_t checked = cudaErrorInvalidValue;

	if (fits(&to, width, height) && fits(&from, width, height))
		checked = copy_rectangle(to.at, to.pitch, from.at, from.pitch, width, height, kind,
					 &copy);
	return copy_submit(stream, checked, copy, waited);
}

static cudaError_t rows_to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
				 size_t width, size_t height, enum cudaMemcpyKind kind,
				 cudaStream_t stream, bool waited)
{
	struct side to;

	TRY_CUDA(array_side(dst, x, y, &to));
	return rows(to, memory_side(src, pitch), width, height, kind, stream, waited);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
				size_t spitch, size_t width, size_t height,
				enum cudaMemcpyKind kind)
{
	return API(rows_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind, NULL,
				 true));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
				     const void *src, size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return API(rows_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind, stream,
				 false));
}

static cudaError_t rows_from_array(void *dst, size_t pitch, cudaArray_const_t src, size_t x,
				   size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
				   cudaStream_t stream, bool waited)
{
	struct side from;

	TRY_CUDA(array_side(src, x, y, &from));
	return rows(memory_side(dst, pitch), from, width, height, kind, stream, waited);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
				  size_t hOffset, size_t width, size_t height,
				  enum cudaMemcpyKind kind)
{
	return API(rows_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind, NULL,
				   true));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
				       size_t wOffset, size_t hOffset, size_t width, size_t height,
				       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return API(rows_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream,
				   false));
}

static cudaError_t rows_of_arrays(cudaArray_t dst, size_t to_x, size_t to_y, cudaArray_const_t src,
				  size_t from_x, size_t from_y, size_t width, size_t height,
				  enum cudaMemcpyKind kind)
{
	struct side to, from;

	TRY_CUDA(array_side(dst, to_x, to_y, &to));
	TRY_CUDA(array_side(src, from_x, from_y, &from));
	return rows(to, from, width, height, kind, NULL, true);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
				     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
				     size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return API(rows_of_arrays(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width,
				  height, kind));
}
