/* runtime_array.h - CUDA arrays, shared by runtime_array.c, the copies and runtime_texture.c.
 *
 * An array is device memory in which rows and slices follow each other without gaps: a copy to or
 * from an array is one of its memory. Arrays, textures and surfaces are the simulator's only.
 */
#ifndef RUNTIME_ARRAY_H
#define RUNTIME_ARRAY_H

#include "engine/runtime/runtime_graph.h"

struct cudaArray {
	struct cudaArray *next;
	struct runtime_device *device;
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent;       /* as the program gave it: 0 without the dimension */
	unsigned flags;
	char *texels;
	size_t width, height, slices;   /* in texels: 1 where it has no such dimension */
	size_t texel, row, slice;       /* bytes */
};

/* USAGE, which ends the program's run, unless the device is a simulator; `call` is for the text. */
enum status simulator_only(const struct runtime_device *, const char *call, const char *what);
enum status arrays_allowed(const struct runtime_device *, const char *call);

/* Error 1 for what is not an array. */
cudaError_t array_find(cudaArray_const_t, const struct cudaArray **out);
/* The bytes of a texel, or 0 if no texture has this format. */
size_t channels_bytes(const struct cudaChannelFormatDesc *);
/* Frees texture and surface objects of a device. */
void textures_close(struct runtime_device *);
/* Frees what describes the arrays; their memory stays with the device. */
void arrays_close(void);

#endif
