/* texture_types.h - the types of CUDA's texture and surface objects, and of what they read.
 *
 * Replaces the toolkit's header of this name, and surface_types.h. Fields have CUDA's names, types
 * and order. In C++ a handle is a class of its own, so that a kernel's parameter of this type is
 * known to be an address in device memory (base/math/texture.h).
 */
#ifndef FLASHTWIN_TEXTURE_TYPES_H
#define FLASHTWIN_TEXTURE_TYPES_H

#ifdef __cplusplus
struct ft_texture_object {
	unsigned long long ft_address;

	ft_texture_object() = default;
	constexpr ft_texture_object(unsigned long long address) : ft_address(address) { }
	constexpr operator unsigned long long() const { return ft_address; }
};
typedef ft_texture_object cudaTextureObject_t;
typedef ft_texture_object cudaSurfaceObject_t;
#else
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
#endif

enum cudaTextureAddressMode {
	cudaAddressModeWrap = 0, cudaAddressModeClamp = 1, cudaAddressModeMirror = 2,
	cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

struct cudaTextureDesc {
	enum cudaTextureAddressMode addressMode[3];
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureReadMode readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
};

enum cudaSurfaceBoundaryMode {
	cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2
};
enum cudaSurfaceFormatMode { cudaFormatModeForced = 0, cudaFormatModeAuto = 1 };

#endif
