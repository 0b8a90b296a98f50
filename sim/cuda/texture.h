/* texture.h - texture and surface functions of device code, for programs on the simulator.
 *
 * An object is a struct ft_texture in device memory (base/math/texture.h). The simulator says where
 * the texels of a fetch are and what comes of them (sim/exec/texture.c); they are loaded here, in
 * the kernel, so that the checker and the counters see loads of global memory at the user's line. A
 * surface is read and written in place. Functions of mipmaps are not here.
 */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#define FT_TEXTURE static inline __attribute__((always_inline, unused))
/* Where the user's call is. */
#define FT_HERE const char *ft_file = __builtin_FILE(), int ft_line = __builtin_LINE()

/* --- types of texels --- */

template <class E> FT_TEXTURE E ft_component(uint32_t word) { return (E)word; }
template <> inline float ft_component<float>(uint32_t word)
{
	float value;

	ft_copy_bits(&value, &word, sizeof value);
	return value;
}
template <class T> FT_TEXTURE T ft_texel(const uint32_t *w);
#define FT_TEXEL(T, ...) \
	template <> inline T ft_texel<T>(const uint32_t *w) { (void)w; return T __VA_ARGS__; }
#define FT_TEXELS(E, vector) \
	FT_TEXEL(E, (ft_component<E>(w[0]))) \
	FT_TEXEL(vector##1, { ft_component<E>(w[0]) }) \
	FT_TEXEL(vector##2, { ft_component<E>(w[0]), ft_component<E>(w[1]) }) \
	FT_TEXEL(vector##4, { ft_component<E>(w[0]), ft_component<E>(w[1]), \
			      ft_component<E>(w[2]), ft_component<E>(w[3]) })
typedef signed char ft_signed_char;
typedef unsigned char ft_unsigned_char;
typedef unsigned short ft_unsigned_short;
FT_TEXEL(ft_signed_char, (ft_component<ft_signed_char>(w[0])))
FT_TEXELS(char, char)
FT_TEXELS(ft_unsigned_char, uchar)
FT_TEXELS(short, short)
FT_TEXELS(ft_unsigned_short, ushort)
FT_TEXELS(int, int)
FT_TEXELS(unsigned, uint)
FT_TEXELS(float, float)
#undef FT_TEXELS
#undef FT_TEXEL

/* --- fetches --- */

FT_TEXTURE void ft_texture_load(uint64_t from, unsigned bytes, uint32_t *to)
{
	if (bytes == 1) {
		to[0] = *(const unsigned char *)from;
	} else if (bytes == 2) {
		to[0] = *(const unsigned short *)from;
	} else if (bytes == 4) {
		to[0] = *(const unsigned *)from;
	} else if (bytes == 8) {
		const uint2 v = *(const uint2 *)from;

		to[0] = v.x;
		to[1] = v.y;
	} else {
		const uint4 v = *(const uint4 *)from;

		to[0] = v.x;
		to[1] = v.y;
		to[2] = v.z;
		to[3] = v.w;
	}
}

template <class T> FT_TEXTURE T ft_texture_fetch(const ft_texture_object &object,
						 struct ft_fetch *fetch)
{
	const struct ft_texture *texture = (const struct ft_texture *)object.ft_address;

	/* A wrong handle faults here, in the kernel. */
	fetch->texture = texture;
	fetch->shape_of_object = FT_OWN(uint64_t, texture->shape);
	ft_texture_place(fetch);
	for (unsigned i = 0; i < fetch->count; i++)
		if (fetch->texels[i])
			ft_texture_load(fetch->texels[i], fetch->bytes, fetch->loaded[i]);
	ft_texture_value(fetch);
	return ft_texel<T>(fetch->value);
}

/* A function of textures, and its form that stores the value. */
#define FT_FETCH(name, shape, parameters, arguments, ...) \
	template <class T> \
	FT_TEXTURE T name(cudaTextureObject_t object, FT_LIST parameters, FT_HERE) \
	{ \
		struct ft_fetch fetch = { ft_file, ft_line, #name, shape, __VA_ARGS__ }; \
	\
		return ft_texture_fetch<T>(object, &fetch); \
	} \
	template <class T> \
	FT_TEXTURE void name(T *value, cudaTextureObject_t object, FT_LIST parameters, FT_HERE) \
	{ \
		*value = name<T>(object, FT_LIST arguments, ft_file, ft_line); \
	}
#define FT_LIST(...) __VA_ARGS__
FT_FETCH(tex1Dfetch, FT_TEXTURE_LINEAR, (int x), (x), {}, x)
FT_FETCH(tex1D, FT_TEXTURE_1D, (float x), (x), { x })
FT_FETCH(tex2D, FT_TEXTURE_2D, (float x, float y), (x, y), { x, y })
FT_FETCH(tex3D, FT_TEXTURE_3D, (float x, float y, float z), (x, y, z), { x, y, z })
FT_FETCH(tex1DLayered, FT_TEXTURE_1D_LAYERED, (float x, int layer), (x, layer), { x }, layer)
FT_FETCH(tex2DLayered, FT_TEXTURE_2D_LAYERED, (float x, float y, int layer), (x, y, layer),
	 { x, y }, layer)
FT_FETCH(texCubemap, FT_TEXTURE_CUBE, (float x, float y, float z), (x, y, z), { x, y, z })
FT_FETCH(texCubemapLayered, FT_TEXTURE_CUBE_LAYERED, (float x, float y, float z, int layer),
	 (x, y, z, layer), { x, y, z }, layer)
#undef FT_FETCH

/* One component of the four texels that a linear filter would read. */
template <class T>
FT_TEXTURE T tex2Dgather(cudaTextureObject_t object, float x, float y, int comp = 0, FT_HERE)
{
	struct ft_fetch fetch = { ft_file, ft_line, "tex2Dgather", FT_TEXTURE_2D, { x, y }, 0, 1,
				  (unsigned)comp & 3 };

	return ft_texture_fetch<T>(object, &fetch);
}

/* --- surfaces --- */

/* The address in memory; NULL: outside, where a load gives 0 and a store does nothing. */
template <class T>
FT_TEXTURE T *ft_surface_at(const ft_texture_object &object, const char *name, unsigned shape,
			    int x, int y, int z, cudaSurfaceBoundaryMode mode, const char *file,
			    int line)
{
	const struct ft_texture *texture = (const struct ft_texture *)object.ft_address;
	struct ft_access access = { file, line, name, shape, x, y, z, (unsigned)mode, sizeof(T) };

	access.texture = texture;
	access.shape_of_object = FT_OWN(uint64_t, texture->shape);
	return (T *)ft_surface_place(&access);
}

#define FT_SURFACE(name, shape, parameters, arguments, x, y, z) \
	template <class T> \
	FT_TEXTURE T name##read(cudaSurfaceObject_t object, FT_LIST parameters, \
				cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, FT_HERE) \
	{ \
		const T *at = ft_surface_at<T>(object, #name "read", shape, x, y, z, mode, \
					       ft_file, ft_line); \
	\
		return at ? *at : T(); \
	} \
	template <class T> \
	FT_TEXTURE void name##read(T *value, cudaSurfaceObject_t object, FT_LIST parameters, \
				   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, FT_HERE) \
	{ \
		*value = name##read<T>(object, FT_LIST arguments, mode, ft_file, ft_line); \
	} \
	template <class T> \
	FT_TEXTURE void name##write(T value, cudaSurfaceObject_t object, FT_LIST parameters, \
				    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, FT_HERE) \
	{ \
		T *at = ft_surface_at<T>(object, #name "write", shape, x, y, z, mode, ft_file, \
					 ft_line); \
	\
		if (at) \
			*at = value; \
	}
FT_SURFACE(surf1D, FT_TEXTURE_1D, (int x), (x), x, 0, 0)
FT_SURFACE(surf2D, FT_TEXTURE_2D, (int x, int y), (x, y), x, y, 0)
FT_SURFACE(surf3D, FT_TEXTURE_3D, (int x, int y, int z), (x, y, z), x, y, z)
FT_SURFACE(surf1DLayered, FT_TEXTURE_1D_LAYERED, (int x, int layer), (x, layer), x, 0, layer)
FT_SURFACE(surf2DLayered, FT_TEXTURE_2D_LAYERED, (int x, int y, int layer), (x, y, layer), x, y,
	   layer)
FT_SURFACE(surfCubemap, FT_TEXTURE_CUBE, (int x, int y, int face), (x, y, face), x, y, face)
FT_SURFACE(surfCubemapLayered, FT_TEXTURE_CUBE_LAYERED, (int x, int y, int face), (x, y, face), x,
	   y, face)
#undef FT_SURFACE
#undef FT_LIST
#undef FT_HERE
#undef FT_TEXTURE

#endif
