/* split_element.cuh - the elements of keys and values of a split, and how they become floats.
 *
 * f32, unless the kernel that includes it defines SPLIT_F16, SPLIT_BF16 or SPLIT_E4M3 first. A
 * vector is four elements, 16 bytes of f32: so that the lanes of a warp have the same elements for
 * each type, and a split has the bits that it would have in f32 with the same numbers. Elements of
 * e4m3 are multiplied by a scale of their KV head: the scores' scale and the sums contain it.
 */
#ifndef SPLIT_ELEMENT_CUH
#define SPLIT_ELEMENT_CUH

#include "kernels/kernel.h"

#if defined SPLIT_F16 || defined SPLIT_BF16 || defined SPLIT_E4M3
#include "sim/cuda/narrow.h"
#endif

#if defined SPLIT_F16 || defined SPLIT_BF16

typedef unsigned short split_element;
typedef uint2 split_vector;

#ifdef SPLIT_F16
#define SPLIT_FLOAT(bits) float_of_f16((unsigned short)(bits))
#else
#define SPLIT_FLOAT(bits) float_of_bf16((unsigned short)(bits))
#endif

static __device__ float4 split_widen(split_vector v)
{
	return make_float4(SPLIT_FLOAT(v.x & 0xffff), SPLIT_FLOAT(v.x >> 16),
			   SPLIT_FLOAT(v.y & 0xffff), SPLIT_FLOAT(v.y >> 16));
}

#elif defined SPLIT_E4M3

typedef unsigned char split_element;
typedef unsigned split_vector;

static __device__ float4 split_widen(split_vector v)
{
	float2 low = float2_of_e4m3x2((unsigned short)(v & 0xffff));
	float2 high = float2_of_e4m3x2((unsigned short)(v >> 16));

	return make_float4(low.x, low.y, high.x, high.y);
}

#else

typedef float split_element;
typedef float4 split_vector;

#define split_widen(vector) (vector)

#endif
#endif
