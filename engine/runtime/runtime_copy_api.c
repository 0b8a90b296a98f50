/* runtime_copy_api.c - the calls that copy memory; runtime_copy.c does the work.
 *
 * Calls without a stream use the legacy stream and return when host memory was read or written; a
 * copy within a device may still be running then, as in CUDA.
 */
#include "config.h"

#include "engine/runtime/runtime_array.h"

/* --- what is copied --- */

cudaError_t copy_linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			struct copy_work *out)
{
	*out = (struct copy_work){
		.to = to, .to_pitch = bytes, .to_slice = bytes, .from = from, .from_pitch = bytes,
		.from_slice = bytes, .width = bytes, .height = 1, .depth = 1, .kind = kind,
	};
	return copy_check(out);
}

cudaError_t copy_rectangle(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			   size_t width, size_t height, enum cudaMemcpyKind kind,
			   struct copy_work *out)
{
	*out = (struct copy_work){
		.to = to, .to_pitch = to_pitch, .to_slice = to_pitch * height, .from = from,
		.from_pitch = from_pitch, .from_slice = from_pitch * height, .width = width,
		.height = height, .depth = 1, .kind = kind,
	};
	if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (height > 1 && (width > to_pitch || width > from_pitch))
		return cudaErrorInvalidPitchValue;
	if (height == 1 && (width > to_pitch || width > from_pitch))
		return cudaErrorInvalidValue;
	return copy_check(out);
}

/* One side of a copy of a box: where it begins, and how far its rows and slices are apart. */
struct box_side {
	char *at;
	size_t pitch, slice;
};

/* Whether the box fits into the rows and slices of one side. Where a pitch or a height is used to
 * find the next row or slice, the error is another one than for a box that only begins too far. A
 * height of 0 is not given. */
static cudaError_t check_box(struct cudaPitchedPtr p, struct cudaPos at, struct cudaExtent box)
{
	if ((box.height > 1 || box.depth > 1) && box.width > p.pitch)
		return cudaErrorInvalidPitchValue;
	if (box.depth > 1 && box.height > p.ysize)
		return cudaErrorInvalidPitchValue;
	if (at.x > p.pitch || box.width > p.pitch - at.x)
		return cudaErrorInvalidValue;
	if (p.ysize && (at.y > p.ysize || box.height > p.ysize - at.y))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t memory_side(struct cudaPitchedPtr p, struct cudaPos at, struct cudaExtent box,
			       struct box_side *out)
{
	size_t slice = p.pitch * p.ysize;

	*out = (struct box_side){ (char *)p.ptr + at.x + at.y * p.pitch + at.z * slice, p.pitch,
				  slice };
	return p.ptr ? check_box(p, at, box) : cudaErrorInvalidValue;
}

/* Positions in an array are in texels. */
static cudaError_t array_side(const struct cudaArray *a, struct cudaPos at, struct cudaExtent box,
			      struct box_side *out)
{
	size_t x = at.x * a->texel;

	if (at.x > a->width || box.width > a->row - x || at.y > a->height
	    || box.height > a->height - at.y || at.z > a->slices || box.depth > a->slices - at.z)
		return cudaErrorInvalidValue;
	*out = (struct box_side){ a->texels + x + at.y * a->row + at.z * a->slice, a->row,
				  a->slice };
	return cudaSuccess;
}

static cudaError_t box_side(const struct cudaArray *a, struct cudaPitchedPtr p, struct cudaPos at,
			    struct cudaExtent box, struct box_side *out)
{
	return a ? array_side(a, at, box, out) : memory_side(p, at, box, out);
}

/* A side is an array or memory. If one is an array, the box is measured in its texels. */
static cudaError_t find_arrays(const struct cudaMemcpy3DParms *p, const struct cudaArray **to,
			       const struct cudaArray **from, struct cudaExtent *box)
{
	*to = *from = NULL;
	*box = p->extent;
	if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
		return cudaErrorInvalidValue;
	if (p->dstArray)
		TRY_CUDA(array_find(p->dstArray, to));
	if (p->srcArray)
		TRY_CUDA(array_find(p->srcArray, from));
	if (*to && *from && (*to)->texel != (*from)->texel)
		return cudaErrorInvalidValue;
	if ((*to || *from)
	    && __builtin_mul_overflow(box->width, *to ? (*to)->texel : (*from)->texel, &box->width))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t copy_from_params(const struct cudaMemcpy3DParms *p, struct copy_work *out)
{
	const struct cudaArray *to_array, *from_array;
	struct box_side to, from;
	struct cudaExtent box;

	*out = (struct copy_work){ 0 };
	if (!p)
		return cudaErrorInvalidValue;
	out->is_box = true;
	out->params = *p;
	TRY_CUDA(find_arrays(p, &to_array, &from_array, &box));
	if (p->kind < cudaMemcpyHostToHost || p->kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (box.width == 0 || box.height == 0 || box.depth == 0)
		return cudaSuccess;
	if ((!p->srcPtr.ptr && !from_array) || (!p->dstPtr.ptr && !to_array))
		return cudaErrorInvalidValue;
	TRY_CUDA(box_side(to_array, p->dstPtr, p->dstPos, box, &to));
	TRY_CUDA(box_side(from_array, p->srcPtr, p->srcPos, box, &from));
	*out = (struct copy_work){
		.to = to.at, .to_pitch = to.pitch, .to_slice = to.slice, .from = from.at,
		.from_pitch = from.pitch, .from_slice = from.slice, .width = box.width,
		.height = box.height, .depth = box.depth, .kind = p->kind, .is_box = true,
		.params = *p,
	};
	return copy_check(out);
}

/* --- giving it to a stream --- */

cudaError_t copy_submit(cudaStream_t handle, cudaError_t checked, struct copy_work copy,
			bool waited)
{
	struct work work = { .kind = WORK_COPY, .copy = copy };
	struct CUstream_st *s;

	TRY_CUDA(runtime_stream(handle, &s));
	TRY_CUDA(checked);
	if (copy.width == 0 || copy.height == 0 || copy.depth == 0)
		return cudaSuccess;
	work.copy.waited = waited;
	TRY_CUDA(work_submit(s, &work));
	if (waited)
		memory_host_turn();
	return cudaSuccess;
}

static cudaError_t linear(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
			  cudaStream_t stream, bool waited)
{
	struct copy_work copy;
	cudaError_t checked = copy_linear(to, from, bytes, kind, &copy);

	if (bytes == 0 && waited)
		return cudaSuccess;     /* also on a device that has failed */
	return copy_submit(stream, checked, copy, waited);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	return API(linear(dst, src, count, kind, NULL, true));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	return API(linear(dst, src, count, kind, stream, false));
}

static cudaError_t rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
			size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream,
			bool waited)
{
	struct copy_work copy;
	cudaError_t checked = copy_rectangle(to, to_pitch, from, from_pitch, width, height, kind,
					     &copy);

	return copy_submit(stream, checked, copy, waited);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
			 size_t height, enum cudaMemcpyKind kind)
{
	return API(rows(dst, dpitch, src, spitch, width, height, kind, NULL, true));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	return API(rows(dst, dpitch, src, spitch, width, height, kind, stream, false));
}

static cudaError_t box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waited)
{
	struct copy_work copy;
	cudaError_t checked = copy_from_params(p, &copy);

	TRY_CUDA(checked);
	return copy_submit(stream, checked, copy, waited);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	return API(box(p, NULL, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	return API(box(p, stream, false));
}

/* --- between devices --- */

static cudaError_t check_devices(int to, int from)
{
	if (to < 0 || to >= runtime.device_count || from < 0 || from >= runtime.device_count)
		return cudaErrorInvalidDevice;
	return cudaSuccess;
}

static cudaError_t peer(void *to, int to_device, const void *from, int from_device, size_t bytes,
			cudaStream_t stream)
{
	TRY_CUDA(check_devices(to_device, from_device));
	return linear(to, from, bytes, cudaMemcpyDefault, stream, false);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
	return API(peer(dst, dstDevice, src, srcDevice, count, NULL));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
				size_t count, cudaStream_t stream)
{
	return API(peer(dst, dstDevice, src, srcDevice, count, stream));
}

static cudaError_t peer_box(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	struct cudaMemcpy3DParms box_params;

	if (!p)
		return cudaErrorInvalidValue;
	TRY_CUDA(check_devices(p->dstDevice, p->srcDevice));
	box_params = (struct cudaMemcpy3DParms){
		.srcArray = p->srcArray, .srcPos = p->srcPos, .srcPtr = p->srcPtr,
		.dstArray = p->dstArray, .dstPos = p->dstPos, .dstPtr = p->dstPtr,
		.extent = p->extent, .kind = cudaMemcpyDefault,
	};
	return box(&box_params, stream, false);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	return API(peer_box(p, NULL));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	return API(peer_box(p, stream));
}
