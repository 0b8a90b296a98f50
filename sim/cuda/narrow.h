/* narrow.h - floats of 8 and 16 bits as bits, for kernels on both devices: f16, bf16 and e4m3.
 *
 * A kernel includes it as "sim/cuda/narrow.h", for the simulator as well as for nvcc. e4m3 needs
 * sm_90, and traps before. Arithmetic is left out: kernels compute in float.
 *
 * Exactly, to float:
 *   float_of_f16(bits), float_of_bf16(bits)
 *   float2_of_e4m3x2(bits)             of two codes, the lower byte first
 * Exactly, to two f16, the first in the low half:
 *   f16x2_of_e4m3x2(bits)
 * Rounded to nearest even, from float; a NaN has all bits set but the sign:
 *   f16_of_float(x), bf16_of_float(x)
 *   f16x2_of_floats(low, high), bf16x2_of_floats(low, high)
 *   e4m3_of_float(x)                   what is larger than 448 becomes that
 */
#ifndef SIM_NARROW_H
#define SIM_NARROW_H

#ifdef FLASHTWIN_SIM

#pragma GCC system_header
#include "base/math/narrow_float.h"

#define float_of_f16(bits)     narrow_from_f16(bits)
#define float_of_bf16(bits)    narrow_from_bf16(bits)
#define f16_of_float(x)        narrow_to_f16(x)
#define bf16_of_float(x)       narrow_to_bf16(x)
#define e4m3_of_float(x)       narrow_to_e4m3(x)

static __device__ inline float2 float2_of_e4m3x2(unsigned short bits)
{
	return make_float2(narrow_from_e4m3((uint8_t)bits), narrow_from_e4m3((uint8_t)(bits >> 8)));
}

static __device__ inline unsigned f16x2_of_floats(float low, float high)
{
	return narrow_to_f16(low) | (unsigned)narrow_to_f16(high) << 16;
}

static __device__ inline unsigned bf16x2_of_floats(float low, float high)
{
	return narrow_to_bf16(low) | (unsigned)narrow_to_bf16(high) << 16;
}

static __device__ inline unsigned f16x2_of_e4m3x2(unsigned short bits)
{
	return f16x2_of_floats(narrow_from_e4m3((uint8_t)bits),
			       narrow_from_e4m3((uint8_t)(bits >> 8)));
}

#else

#define NARROW_FN static __device__ __forceinline__

NARROW_FN float float_of_f16(unsigned short bits)
{
	float x;

	asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
	return x;
}
NARROW_FN float float_of_bf16(unsigned short bits)
{
	return __uint_as_float((unsigned)bits << 16);
}
NARROW_FN unsigned f16x2_of_e4m3x2(unsigned short bits)
{
	unsigned halves = 0;

#if __CUDA_ARCH__ >= 900
	asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(bits));
#else
	asm volatile("trap;");
#endif
	return halves;
}
NARROW_FN float2 float2_of_e4m3x2(unsigned short bits)
{
	unsigned halves = f16x2_of_e4m3x2(bits);

	return make_float2(float_of_f16((unsigned short)halves),
			   float_of_f16((unsigned short)(halves >> 16)));
}
NARROW_FN unsigned f16x2_of_floats(float low, float high)
{
	unsigned halves;

	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(high), "f"(low));
	return halves;
}
NARROW_FN unsigned bf16x2_of_floats(float low, float high)
{
	unsigned halves;

	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(high), "f"(low));
	return halves;
}
NARROW_FN unsigned short f16_of_float(float x)
{
	unsigned short bits;

	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
	return bits;
}
NARROW_FN unsigned short bf16_of_float(float x)
{
	unsigned short bits;

	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
	return bits;
}
NARROW_FN unsigned char e4m3_of_float(float x)
{
	unsigned short bits = 0;

#if __CUDA_ARCH__ >= 900
	asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(bits) : "f"(0.0f), "f"(x));
#else
	asm volatile("trap;");
#endif
	return (unsigned char)bits;
}

#endif
#endif
