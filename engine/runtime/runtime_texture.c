/* runtime_texture.c - texture and surface objects: a struct ft_texture in device memory for each.
 *
 * What has no exact model on the simulator is refused, and ends the program's run: see allowed().
 */
#include "config.h"

#include "engine/runtime/runtime_array.h"

#include <stdlib.h>
#include <string.h>

#include "base/math/texture.h"
#include "base/xalloc.h"

/* Alignments that CUDA asks for, those of the GPUs whose profiles there are. Theirs of linear
 * memory is 512, but the simulator's allocations begin at multiples of 256. */
#define LINEAR_ALIGNMENT 256
#define PITCH_ALIGNMENT 32

struct object {
	struct object *next;
	struct runtime_device *device;
	uint64_t address;               /* of its struct ft_texture: the handle */
	bool surface;
	struct cudaResourceDesc resource;
	struct cudaTextureDesc desc;
};
static struct object *objects;

/* --- resources --- */

static void set_format(const struct cudaChannelFormatDesc *c, struct ft_texture *t)
{
	t->kind = c->f == cudaChannelFormatKindSigned ? FT_TEXTURE_SIGNED
		: c->f == cudaChannelFormatKindFloat ? FT_TEXTURE_FLOAT : FT_TEXTURE_UNSIGNED;
	t->bits = (uint64_t)c->x;
	t->channels = channels_bytes(c) * 8 / t->bits;
}

static cudaError_t from_array(cudaArray_const_t handle, struct ft_texture *t)
{
	const struct cudaArray *a;
	bool layered, cube;

	TRY_CUDA(array_find(handle, &a));
	layered = a->flags & cudaArrayLayered;
	cube = a->flags & cudaArrayCubemap;
	*t = (struct ft_texture){
		.texels = (uint64_t)(uintptr_t)a->texels, .row = a->row, .slice = a->slice,
		.width = a->width, .height = a->height, .slices = a->slices,
	};
	t->shape = cube ? (layered ? FT_TEXTURE_CUBE_LAYERED : FT_TEXTURE_CUBE)
		: layered ? (a->extent.height ? FT_TEXTURE_2D_LAYERED : FT_TEXTURE_1D_LAYERED)
		: a->extent.depth ? FT_TEXTURE_3D
		: a->extent.height ? FT_TEXTURE_2D : FT_TEXTURE_1D;
	set_format(&a->desc, t);
	return cudaSuccess;
}

/* The texels must be in one allocation. */
static cudaError_t check_memory(const void *pointer, const struct cudaChannelFormatDesc *format,
				size_t bytes)
{
	struct allocation *a = address_find(pointer);
	uint64_t address = (uint64_t)(uintptr_t)pointer;

	if (!channels_bytes(format))
		return cudaErrorInvalidChannelDescriptor;
	if (!a || !a->buffer || address % LINEAR_ALIGNMENT
	    || bytes > a->address + a->bytes - address)
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

static cudaError_t from_linear(const struct cudaResourceDesc *r, struct ft_texture *t)
{
	size_t texel = channels_bytes(&r->res.linear.desc), bytes = r->res.linear.sizeInBytes;

	TRY_CUDA(check_memory(r->res.linear.devPtr, &r->res.linear.desc, bytes));
	if (bytes < texel)
		return cudaErrorInvalidValue;
	*t = (struct ft_texture){
		.texels = (uint64_t)(uintptr_t)r->res.linear.devPtr, .row = bytes, .slice = bytes,
		.width = bytes / texel, .height = 1, .slices = 1, .shape = FT_TEXTURE_LINEAR,
	};
	set_format(&r->res.linear.desc, t);
	return cudaSuccess;
}

static cudaError_t from_pitched(const struct cudaResourceDesc *r, struct ft_texture *t)
{
	size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height;
	size_t pitch = r->res.pitch2D.pitchInBytes, row, slice, bytes;

	if (width == 0 || height == 0 || pitch % PITCH_ALIGNMENT
	    || __builtin_mul_overflow(width, channels_bytes(&r->res.pitch2D.desc), &row)
	    || row > pitch || __builtin_mul_overflow(pitch, height, &slice))
		return cudaErrorInvalidValue;
	bytes = slice - pitch + row;
	TRY_CUDA(check_memory(r->res.pitch2D.devPtr, &r->res.pitch2D.desc, bytes));
	*t = (struct ft_texture){
		.texels = (uint64_t)(uintptr_t)r->res.pitch2D.devPtr, .row = pitch, .slice = slice,
		.width = width, .height = height, .slices = 1, .shape = FT_TEXTURE_2D,
	};
	set_format(&r->res.pitch2D.desc, t);
	return cudaSuccess;
}

static cudaError_t from_resource(const struct cudaResourceDesc *r, struct ft_texture *t)
{
	switch (r->resType) {
	case cudaResourceTypeArray: return from_array(r->res.array.array, t);
	case cudaResourceTypeLinear: return from_linear(r, t);
	case cudaResourceTypePitch2D: return from_pitched(r, t);
	default: return cudaErrorInvalidValue;
	}
}

/* --- how a texture is read --- */

/* What no model is for; errors of the program are check_desc()'s. */
static enum status allowed(const struct runtime_device *d, const struct cudaTextureDesc *desc,
			   const struct cudaResourceViewDesc *view)
{
	const char *what = view ? "a resource view" : desc->sRGB ? "sRGB"
		: desc->seamlessCubemap && desc->filterMode == cudaFilterModeLinear
		? "seamless filtering of cubemaps" : NULL;

	TRY(arrays_allowed(d, "cudaCreateTextureObject"));
	return what ? fail(STATUS_USAGE, "cudaCreateTextureObject: %s is not supported in the "
			   "simulator", what) : STATUS_OK;
}

static cudaError_t check_desc(const struct cudaTextureDesc *desc, const struct ft_texture *t)
{
	bool real = t->kind == FT_TEXTURE_FLOAT;

	for (int i = 0; i < 3; i++)
		if ((unsigned)desc->addressMode[i] > cudaAddressModeBorder)
			return cudaErrorInvalidValue;
	if ((unsigned)desc->filterMode > cudaFilterModeLinear
	    || (unsigned)desc->readMode > cudaReadModeNormalizedFloat)
		return cudaErrorInvalidValue;
	if (desc->readMode == cudaReadModeNormalizedFloat && !real && t->bits == 32)
		return cudaErrorInvalidNormSetting;
	if (desc->filterMode == cudaFilterModeLinear && !real
	    && desc->readMode == cudaReadModeElementType && t->shape != FT_TEXTURE_LINEAR)
		return cudaErrorInvalidFilterSetting;
	return cudaSuccess;
}

/* Coordinates in texels cannot wrap: they are clamped then. */
static void set_desc(const struct cudaTextureDesc *desc, struct ft_texture *t)
{
	bool wraps = desc->normalizedCoords || t->shape == FT_TEXTURE_CUBE
		|| t->shape == FT_TEXTURE_CUBE_LAYERED;

	for (int i = 0; i < 3; i++) {
		enum cudaTextureAddressMode mode = desc->addressMode[i];

		t->address[i] = !wraps && mode != cudaAddressModeBorder ? FT_TEXTURE_CLAMP
			: (uint64_t)mode;
	}
	t->linear = desc->filterMode == cudaFilterModeLinear && t->shape != FT_TEXTURE_LINEAR;
	t->normalized = desc->normalizedCoords != 0;
	t->as_float = desc->readMode == cudaReadModeNormalizedFloat && t->kind != FT_TEXTURE_FLOAT;
	for (int i = 0; i < 4; i++) {
		uint32_t bits;

		memcpy(&bits, &desc->borderColor[i], sizeof bits);
		t->border[i] = bits;
	}
}

/* --- objects --- */

static cudaError_t place(struct runtime_device *d, const struct ft_texture *t, void **out)
{
	TRY_CUDA(memory_new(d, PLACE_TEXTURE, sizeof *t, 0, out));
	return runtime_error(d, pointers_upload(d, NULL, address_find(*out)->buffer, 0, t,
						sizeof *t));
}

static cudaError_t object_new(struct runtime_device *d, const struct ft_texture *t,
			      const struct cudaResourceDesc *resource,
			      const struct cudaTextureDesc *desc, uint64_t *out)
{
	struct object *o;
	cudaError_t error;
	void *memory;

	/* This is not an operation of a stream: a capture allows it. */
	TRY_DEVICE(d, device_capture_relax(d->device, true));
	error = place(d, t, &memory);
	TRY_DEVICE(d, device_capture_relax(d->device, runtime_capture_relaxed()));
	TRY_CUDA(error);
	o = xcalloc(1, sizeof *o);
	*o = (struct object){ .next = objects, .device = d, .address = (uint64_t)(uintptr_t)memory,
			      .surface = t->surface, .resource = *resource };
	if (desc)
		o->desc = *desc;
	objects = o;
	*out = o->address;
	return cudaSuccess;
}

static struct object **object_find(uint64_t handle, bool surface)
{
	struct object **link = &objects;

	while (*link && ((*link)->address != handle || (*link)->surface != surface))
		link = &(*link)->next;
	return link;
}

static cudaError_t object_free(uint64_t handle, bool surface)
{
	struct object **link = object_find(handle, surface), *o = *link;
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!o)
		return handle == 0 ? cudaSuccess : cudaErrorInvalidValue;
	TRY_CUDA(memory_free(address_find((void *)(uintptr_t)o->address)));
	*link = o->next;
	free(o);
	return cudaSuccess;
}

/* Objects are not memory that a program leaks. */
void textures_close(struct runtime_device *d)
{
	struct object **link = &objects;

	while (*link) {
		struct object *o = *link;

		if (o->device != d) {
			link = &o->next;
			continue;
		}
		/* An error was returned before, by the wait for the device. */
		device_free(d->device, address_find((void *)(uintptr_t)o->address)->buffer);
		*link = o->next;
		free(o);
	}
}

/* --- calls --- */

static cudaError_t texture_new(uint64_t *out, const struct cudaResourceDesc *resource,
			       const struct cudaTextureDesc *desc,
			       const struct cudaResourceViewDesc *view)
{
	struct runtime_device *d;
	struct ft_texture t;

	TRY_CUDA(runtime_live(&d));
	if (!out || !resource || !desc)
		return cudaErrorInvalidValue;
	TRY_DEVICE(d, allowed(d, desc, view));
	TRY_CUDA(from_resource(resource, &t));
	TRY_CUDA(check_desc(desc, &t));
	set_desc(desc, &t);
	return object_new(d, &t, resource, desc, out);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
				    const struct cudaResourceDesc *pResDesc,
				    const struct cudaTextureDesc *pTexDesc,
				    const struct cudaResourceViewDesc *pResViewDesc)
{
	return API(texture_new((uint64_t *)pTexObject, pResDesc, pTexDesc, pResViewDesc));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
	return API(object_free(texObject, false));
}

static cudaError_t surface_new(uint64_t *out, const struct cudaResourceDesc *resource)
{
	struct runtime_device *d;
	const struct cudaArray *a;
	struct ft_texture t;

	TRY_CUDA(runtime_live(&d));
	TRY_DEVICE(d, arrays_allowed(d, "cudaCreateSurfaceObject"));
	if (!out || !resource || resource->resType != cudaResourceTypeArray)
		return cudaErrorInvalidValue;
	TRY_CUDA(array_find(resource->res.array.array, &a));
	if (!(a->flags & cudaArraySurfaceLoadStore))
		return cudaErrorInvalidValue;
	TRY_CUDA(from_array(a, &t));
	t.surface = 1;
	return object_new(d, &t, resource, NULL, out);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
				    const struct cudaResourceDesc *pResDesc)
{
	return API(surface_new((uint64_t *)pSurfObject, pResDesc));
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
	return API(object_free(surfObject, true));
}

static cudaError_t describe(uint64_t handle, bool surface, struct cudaResourceDesc *resource,
			    struct cudaTextureDesc *desc)
{
	struct object *o = *object_find(handle, surface);
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!o || (!resource && !desc))
		return cudaErrorInvalidValue;
	if (resource)
		*resource = o->resource;
	if (desc)
		*desc = o->desc;
	return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
					     cudaTextureObject_t texObject)
{
	return API(describe(texObject, false, pResDesc, NULL));
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
					    cudaTextureObject_t texObject)
{
	return API(describe(texObject, false, NULL, pTexDesc));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
					     cudaSurfaceObject_t surfObject)
{
	return API(describe(surfObject, true, pResDesc, NULL));
}
