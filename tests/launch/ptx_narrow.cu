/* ptx_narrow.cu - inline PTX that converts to and from tf32, 8-bit floats and small integers,
 * compared with CUDA's functions and with arithmetic in double. wrong[i] counts the inputs for which
 * group i differs. Grid (256), block (256): a thread for each 16 bits. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/* A float with 10 bits of fraction. direction: 0 to zero, 1 ties to even, 2 ties away from zero. */
__device__ unsigned tf32_of(float x, int direction)
{
	double magnitude = fabs((double)x), unit, units;
	unsigned bits = __float_as_uint(x) & 0x7fffffff;

	if (x != x)
		return direction == 2 ? __float_as_uint(x) & ~0x1fffu : 0x7fffe000;
	if (bits == 0x7f800000)
		return __float_as_uint(x);
	/* 2^(exponent - 10); subnormal numbers have the exponent of the smallest normal one. */
	unit = __longlong_as_double((unsigned long long)(1023 - 137 + max(bits >> 23, 1u)) << 52);
	units = magnitude / unit;
	units = direction == 0 ? floor(units) : direction == 1 ? rint(units) : floor(units + 0.5);
	return __float_as_uint(copysignf((float)(units * unit), x));
}

__device__ bool tf32_differs(float x)
{
	unsigned away, even, zero;

	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(away) : "f"(x));
	asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(even) : "f"(x));
	asm("cvt.rz.tf32.f32 %0, %1;" : "=r"(zero) : "f"(x));
	return away != tf32_of(x, 2) || even != tf32_of(x, 1) || zero != tf32_of(x, 0);
}

__device__ bool codes_differ(float x, float y)
{
	unsigned short e4m3, e5m2;
	float2 both = make_float2(y, x);

	asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(e4m3) : "f"(x), "f"(y));
	asm("cvt.satfinite.rn.e5m2x2.f32 %0, %1, %2;" : "=h"(e5m2) : "f"(x), "f"(y));
	return e4m3 != __nv_cvt_float2_to_fp8x2(both, __NV_SATFINITE, __NV_E4M3)
		|| e5m2 != __nv_cvt_float2_to_fp8x2(both, __NV_SATFINITE, __NV_E5M2);
}

__device__ bool halves_differ(unsigned low, unsigned high)
{
	unsigned short e4m3, e5m2;
	__half2_raw both;

	both.x = (unsigned short)low;
	both.y = (unsigned short)high;
	asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(e4m3) : "r"(low | high << 16));
	asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(e5m2) : "r"(low | high << 16));
	return e4m3 != __nv_cvt_halfraw2_to_fp8x2(both, __NV_SATFINITE, __NV_E4M3)
		|| e5m2 != __nv_cvt_halfraw2_to_fp8x2(both, __NV_SATFINITE, __NV_E5M2);
}

__device__ bool widened_differ(unsigned short codes)
{
	unsigned e4m3, e5m2;

	asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(e4m3) : "h"(codes));
	asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(e5m2) : "h"(codes));
	__half2_raw a = __nv_cvt_fp8x2_to_halfraw2(codes, __NV_E4M3);
	__half2_raw b = __nv_cvt_fp8x2_to_halfraw2(codes, __NV_E5M2);

	return e4m3 != (a.x | (unsigned)a.y << 16) || e5m2 != (b.x | (unsigned)b.y << 16);
}

__device__ int clamp(int v, int low, int high) { return min(max(v, low), high); }

__device__ bool packed_differ(int a, int b)
{
	unsigned bytes, four, words;

	asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, 0;" : "=r"(bytes) : "r"(a), "r"(b));
	asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(four) : "r"(a), "r"(b), "r"(bytes));
	asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(words) : "r"(a), "r"(b));
	return bytes != ((clamp(a, -128, 127) & 255u) << 8 | (clamp(b, -128, 127) & 255u))
		|| four != ((unsigned)clamp(a, 0, 255) << 8 | (unsigned)clamp(b, 0, 255)
			    | bytes << 16)
		|| words != ((unsigned)clamp(a, -32768, 32767) << 16
			     | (clamp(b, -32768, 32767) & 0xffffu));
}

/* Halves and integers; a half that is 16 bits, and an integer. */
__device__ bool integers_differ(unsigned short bits, int v)
{
	int near, byte;
	unsigned short half, bf16;
	__half h = __ushort_as_half(bits);

	asm("cvt.rni.s32.f16 %0, %1;" : "=r"(near) : "h"(bits));
	asm("{ .reg .s8 b; cvt.rni.sat.s8.f16 b, %1; cvt.s32.s8 %0, b; }" : "=r"(byte) : "h"(bits));
	asm("cvt.rn.f16.s32 %0, %1;" : "=h"(half) : "r"(v));
	asm("cvt.rn.bf16.s32 %0, %1;" : "=h"(bf16) : "r"(v));
	return near != __half2int_rn(h) || byte != clamp(__half2int_rn(h), -128, 127)
		|| half != __half_as_ushort(__int2half_rn(v))
		|| bf16 != __bfloat16_as_ushort(__int2bfloat16_rn(v));
}

__device__ bool relu_differs(unsigned x, unsigned y, unsigned z)
{
	unsigned half, bf16;
	__half2 h[3];
	__nv_bfloat162 b[3];

	asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(half) : "r"(x), "r"(y), "r"(z));
	asm("fma.rn.bf16x2.relu %0, %1, %2, %3;" : "=r"(bf16) : "r"(x), "r"(y), "r"(z));
	memcpy(&h[0], &x, 4);
	memcpy(&h[1], &y, 4);
	memcpy(&h[2], &z, 4);
	memcpy(&b[0], &x, 4);
	memcpy(&b[1], &y, 4);
	memcpy(&b[2], &z, 4);
	h[0] = __hfma2_relu(h[0], h[1], h[2]);
	b[0] = __hfma2_relu(b[0], b[1], b[2]);
	return half != *(unsigned *)&h[0] || bf16 != *(unsigned *)&b[0];
}

__global__ void narrow(unsigned *wrong)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, j = i * 40503 + 977 & 0xffff;
	const unsigned low[] = { 0, 1, 0xfff, 0x1000, 0x1001, 0x2000, 0x3000, 0x7fff, 0xffff };

	for (int k = 0; k < 9; k++)
		atomicAdd(&wrong[0], tf32_differs(__uint_as_float(i << 16 | low[k])));
	for (int k = 0; k < 9; k++)
		atomicAdd(&wrong[1], codes_differ(__uint_as_float(i << 16 | low[k]),
						  __uint_as_float(j << 16 | low[8 - k])));
	atomicAdd(&wrong[2], halves_differ(i, j));
	atomicAdd(&wrong[3], widened_differ((unsigned short)i));
	atomicAdd(&wrong[4], packed_differ((int)i - 32768, (int)(j * 7) - 200000)
		  + packed_differ((int)(i & 511) - 256, (int)(i >> 8) - 128));
	atomicAdd(&wrong[5], integers_differ((unsigned short)i, (int)(i * 65537u + j)));
	atomicAdd(&wrong[6], relu_differs(i | j << 16, j | i << 16, (i ^ 0x8000) | 0x3c000000));
}
