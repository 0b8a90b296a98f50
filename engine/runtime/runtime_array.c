/* runtime_array.c - CUDA arrays: memory for textures and surfaces. Copies are in
 * runtime_array_copy.c, texture and surface objects in runtime_texture.c.
 */
#include "config.h"

#include "engine/runtime/runtime_array.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static struct cudaArray *arrays;

enum status simulator_only(const struct runtime_device *d, const char *call, const char *what)
{
	const struct device *device = d->device;

	while (device->inner)
		device = device->inner;
	if (device->ops == &device_sim && !runtime.repeats_on)
		return STATUS_OK;
	return fail(STATUS_USAGE, "%s: %s are on the simulator only, not on device %s", call, what,
		    runtime.repeats_on ? runtime.repeats_on : device->ops->name);
}

enum status arrays_allowed(const struct runtime_device *d, const char *call)
{
	return simulator_only(d, call, "arrays, textures and surfaces");
}

cudaError_t array_find(cudaArray_const_t handle, const struct cudaArray **out)
{
	const struct cudaArray *a = arrays;

	while (a && a != handle)
		a = a->next;
	*out = a;
	return a ? cudaSuccess : cudaErrorInvalidValue;
}

/* --- formats --- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

size_t channels_bytes(const struct cudaChannelFormatDesc *c)
{
	bool two = c->y != 0, four = c->z != 0;

	if (c->x != 8 && c->x != 16 && c->x != 32)
		return 0;
	if (c->f != cudaChannelFormatKindSigned && c->f != cudaChannelFormatKindUnsigned
	    && (c->f != cudaChannelFormatKindFloat || c->x == 8))
		return 0;
	if ((two && c->y != c->x) || (four && (!two || c->z != c->x)) || c->w != c->z)
		return 0;
	return (size_t)c->x / 8 * (four ? 4 : two ? 2 : 1);
}

/* --- sizes --- */

/* Attributes of the device that limit width, height, and depth or layers. */
struct limits {
	enum cudaDeviceAttr width, height, slices;
};

static const struct limits *limits_of(const struct cudaArray *a)
{
	static const struct limits flat = { cudaDevAttrMaxTexture1DWidth, 0, 0 };
	static const struct limits plane = { cudaDevAttrMaxTexture2DWidth,
					     cudaDevAttrMaxTexture2DHeight, 0 };
	static const struct limits box = { cudaDevAttrMaxTexture3DWidth,
					   cudaDevAttrMaxTexture3DHeight,
					   cudaDevAttrMaxTexture3DDepth };
	static const struct limits flat_layers = { cudaDevAttrMaxTexture1DLayeredWidth, 0,
						   cudaDevAttrMaxTexture1DLayeredLayers };
	static const struct limits layers = { cudaDevAttrMaxTexture2DLayeredWidth,
					      cudaDevAttrMaxTexture2DLayeredHeight,
					      cudaDevAttrMaxTexture2DLayeredLayers };
	static const struct limits cube = { cudaDevAttrMaxTextureCubemapWidth,
					    cudaDevAttrMaxTextureCubemapWidth, 0 };
	static const struct limits cubes = { cudaDevAttrMaxTextureCubemapLayeredWidth,
					     cudaDevAttrMaxTextureCubemapLayeredWidth,
					     cudaDevAttrMaxTextureCubemapLayeredLayers };

	if (a->flags & cudaArrayCubemap)
		return a->flags & cudaArrayLayered ? &cubes : &cube;
	if (a->flags & cudaArrayLayered)
		return a->extent.height ? &layers : &flat_layers;
	return a->extent.depth ? &box : a->extent.height ? &plane : &flat;
}

static cudaError_t check_limit(struct runtime_device *d, enum cudaDeviceAttr attribute, size_t size)
{
	int limit;

	if (!attribute)
		return cudaSuccess;
	TRY_DEVICE(d, device_attribute(d->device, attribute, &limit));
	return size <= (size_t)limit ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t check_size(struct runtime_device *d, const struct cudaArray *a)
{
	const struct limits *limits = limits_of(a);
	const struct cudaExtent *e = &a->extent;
	bool layered = a->flags & cudaArrayLayered, cube = a->flags & cudaArrayCubemap;

	if (e->width == 0 || (layered && e->depth == 0)
	    || (e->depth && !e->height && !layered))
		return cudaErrorInvalidValue;
	if (cube && (e->width != e->height || e->depth % 6 || (!layered && e->depth != 6)
		     || e->depth == 0))
		return cudaErrorInvalidValue;
	if ((a->flags & cudaArrayTextureGather) && (e->depth || !e->height))
		return cudaErrorInvalidValue;
	TRY_CUDA(check_limit(d, limits->width, e->width));
	TRY_CUDA(check_limit(d, limits->height, e->height));
	return check_limit(d, limits->slices, e->depth);
}

/* --- calls --- */

#define FLAGS (cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap \
	       | cudaArrayTextureGather)

static size_t or_one(size_t size)
{
	return size ? size : 1;
}

static cudaError_t array_new(cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
			     struct cudaExtent extent, unsigned flags)
{
	struct cudaArray made = { .flags = flags, .extent = extent, .width = extent.width,
				  .height = or_one(extent.height),
				  .slices = or_one(extent.depth) };
	struct runtime_device *d;
	size_t bytes;
	void *texels;

	TRY_CUDA(runtime_live(&d));
	TRY_DEVICE(d, arrays_allowed(d, "cudaMallocArray"));
	if (!out || !desc || (flags & ~(unsigned)FLAGS))
		return cudaErrorInvalidValue;
	made.device = d;
	made.desc = *desc;
	made.texel = channels_bytes(desc);
	if (!made.texel)
		return cudaErrorInvalidChannelDescriptor;
	TRY_CUDA(check_size(d, &made));
	if (__builtin_mul_overflow(made.texel, made.width, &made.row)
	    || __builtin_mul_overflow(made.row, made.height, &made.slice)
	    || __builtin_mul_overflow(made.slice, made.slices, &bytes))
		return cudaErrorMemoryAllocation;
	TRY_CUDA(memory_new(d, PLACE_ARRAY, bytes, 0, &texels));
	made.texels = texels;
	made.next = arrays;
	arrays = xmalloc(sizeof *arrays);
	*arrays = made;
	*out = arrays;
	return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height, unsigned flags)
{
	return API(array_new(array, desc, (struct cudaExtent){ width, height, 0 }, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent, unsigned flags)
{
	return API(array_new(array, desc, extent, flags));
}

static cudaError_t array_free(cudaArray_t array)
{
	struct cudaArray **link = &arrays;
	struct runtime_device *d;

	TRY_CUDA(runtime_live(&d));
	if (!array)
		return cudaSuccess;
	while (*link && *link != array)
		link = &(*link)->next;
	if (!*link)
		return cudaErrorInvalidValue;
	TRY_CUDA(memory_free(address_find(array->texels)));
	*link = array->next;
	free(array);
	return cudaSuccess;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	return API(array_free(array));
}

void arrays_close(void)
{
	while (arrays) {
		struct cudaArray *next = arrays->next;

		free(arrays);
		arrays = next;
	}
}

static cudaError_t array_info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
			      unsigned *flags, cudaArray_const_t array)
{
	struct runtime_device *d;
	const struct cudaArray *a;

	TRY_CUDA(runtime_live(&d));
	TRY_CUDA(array_find(array, &a));
	if (desc)
		*desc = a->desc;
	if (extent)
		*extent = a->extent;
	if (flags)
		*flags = a->flags;
	return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
			     unsigned *flags, cudaArray_t array)
{
	return API(array_info(desc, extent, flags, array));
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	return API(desc ? array_info(desc, NULL, NULL, array) : cudaErrorInvalidValue);
}
