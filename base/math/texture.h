/* texture.h - texture and surface objects, as they lie in the simulator's device memory.
 *
 * The handle of an object is the address of this struct, so a recorder records it and a replay
 * moves it like other pointers. engine/runtime/ writes it, sim/exec/texture.c reads it for kernels.
 * All fields have 64 bits: no two of them together may look like an address.
 */
#ifndef FLASHTWIN_TEXTURE_H
#define FLASHTWIN_TEXTURE_H

#include <stdint.h>

enum ft_texture_shape {
	FT_TEXTURE_LINEAR, FT_TEXTURE_1D, FT_TEXTURE_2D, FT_TEXTURE_3D, FT_TEXTURE_1D_LAYERED,
	FT_TEXTURE_2D_LAYERED, FT_TEXTURE_CUBE, FT_TEXTURE_CUBE_LAYERED
};

/* As CUDA numbers them: enum cudaTextureAddressMode, enum cudaChannelFormatKind. */
enum ft_texture_address { FT_TEXTURE_WRAP, FT_TEXTURE_CLAMP, FT_TEXTURE_MIRROR, FT_TEXTURE_BORDER };
enum ft_texture_kind { FT_TEXTURE_SIGNED, FT_TEXTURE_UNSIGNED, FT_TEXTURE_FLOAT };

struct ft_texture {
	uint64_t texels;                /* address of the first one */
	uint64_t row, slice;            /* bytes from one to the next; a layer or face is a slice */
	uint64_t shape;
	uint64_t width, height, slices; /* in texels; 1 where the shape lacks them */
	uint64_t kind, bits, channels;  /* of a texel */
	uint64_t surface;               /* 1: of a surface; the rest is of textures */
	uint64_t address[3], linear, normalized, as_float;
	uint64_t border[4];             /* bits of floats */
};

#endif
