/* ptx_real.cu - inline PTX on floats, halves and conversions, compared with C and CUDA's functions.
 * wrong[i] counts the inputs for which group i differs; NaNs are equal. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ bool same(float a, float b)
{
	return __float_as_uint(a) == __float_as_uint(b) || (a != a && b != b);
}
__device__ bool same(double a, double b)
{
	return __double_as_longlong(a) == __double_as_longlong(b) || (a != a && b != b);
}

__device__ bool arithmetic_differs(float a, float b, float c)
{
	float add, sub, mul, fma, div, rcp, sqrt, sat, least, most, abs, neg, sign;

	asm("add.f32 %0, %1, %2;" : "=f"(add) : "f"(a), "f"(b));
	asm("sub.rn.f32 %0, %1, %2;" : "=f"(sub) : "f"(a), "f"(b));
	asm("mul.f32 %0, %1, 0f3FC00000;" : "=f"(mul) : "f"(a));
	asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(fma) : "f"(a), "f"(b), "f"(c));
	asm("div.rn.f32 %0, %1, %2;" : "=f"(div) : "f"(a), "f"(b));
	asm("rcp.rn.f32 %0, %1;" : "=f"(rcp) : "f"(a));
	asm("sqrt.rn.f32 %0, %1;" : "=f"(sqrt) : "f"(a));
	asm("add.sat.f32 %0, %1, %2;" : "=f"(sat) : "f"(a), "f"(b));
	asm("min.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
	asm("max.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
	asm("abs.f32 %0, %1;" : "=f"(abs) : "f"(a));
	asm("neg.f32 %0, %1;" : "=f"(neg) : "f"(a));
	asm("copysign.f32 %0, %1, %2;" : "=f"(sign) : "f"(a), "f"(b));
	return !same(add, a + b) || !same(sub, a - b) || !same(mul, a * 1.5f)
		|| !same(fma, fmaf(a, b, c)) || !same(div, a / b) || !same(rcp, 1.0f / a)
		|| !same(sqrt, sqrtf(a)) || !same(sat, __saturatef(a + b))
		|| !same(least, fminf(a, b)) || !same(most, fmaxf(a, b)) || !same(abs, fabsf(a))
		|| !same(neg, -a) || !same(sign, copysignf(b, a));
}

__device__ bool double_differs(double a, double b, double c)
{
	double add, fma, div, root, half, least, down;

	asm("add.rn.f64 %0, %1, %2;" : "=d"(add) : "d"(a), "d"(b));
	asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(fma) : "d"(a), "d"(b), "d"(c));
	asm("div.rn.f64 %0, %1, %2;" : "=d"(div) : "d"(a), "d"(b));
	asm("sqrt.rn.f64 %0, %1;" : "=d"(root) : "d"(a));
	asm("mul.f64 %0, %1, 0.5;" : "=d"(half) : "d"(a));
	asm("min.f64 %0, %1, %2;" : "=d"(least) : "d"(a), "d"(b));
	asm("cvt.rmi.f64.f64 %0, %1;" : "=d"(down) : "d"(a));
	return !same(add, a + b) || !same(fma, __builtin_fma(a, b, c)) || !same(div, a / b)
		|| !same(root, sqrt(a)) || !same(half, a * 0.5) || !same(least, fmin(a, b))
		|| !same(down, floor(a));
}

__device__ bool approximations_differ(float a, float b)
{
	float ex2, lg2, rsqrt, sine, cosine, tanh, div;

	asm("ex2.approx.f32 %0, %1;" : "=f"(ex2) : "f"(a));
	asm("lg2.approx.f32 %0, %1;" : "=f"(lg2) : "f"(a));
	asm("rsqrt.approx.f32 %0, %1;" : "=f"(rsqrt) : "f"(a));
	asm("sin.approx.f32 %0, %1;" : "=f"(sine) : "f"(a));
	asm("cos.approx.f32 %0, %1;" : "=f"(cosine) : "f"(a));
	asm("tanh.approx.f32 %0, %1;" : "=f"(tanh) : "f"(a));
	asm("div.approx.f32 %0, %1, %2;" : "=f"(div) : "f"(a), "f"(b));
	return !same(ex2, exp2f(a)) || !same(lg2, __log2f(a)) || !same(rsqrt, rsqrtf(a))
		|| !same(sine, __sinf(a)) || !same(cosine, __cosf(a)) || !same(div, __fdividef(a, b))
		|| tanh > 1.0f;
}

/* Subnormal operands and results become zeros. */
__device__ float flush(float a)
{
	return fabsf(a) < 0x1p-126f ? copysignf(0.0f, a) : a;
}

__device__ bool flushing_differs(float a, float b)
{
	float add, ex2, rcp;

	asm("add.ftz.f32 %0, %1, %2;" : "=f"(add) : "f"(a), "f"(b));
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(ex2) : "f"(a));
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(rcp) : "f"(a));
	return !same(add, flush(flush(a) + flush(b))) || !same(flush(ex2), ex2)
		|| !same(flush(rcp), rcp);
}

__device__ bool comparisons_differ(float a, float b)
{
	unsigned bits = 0, expected = 0;

	asm("{ .reg .pred p; .reg .u32 t;\n"
	    "setp.lt.f32 p, %1, %2; selp.u32 t, 1, 0, p; or.b32 %0, %0, t;\n"
	    "setp.leu.f32 p, %1, %2; selp.u32 t, 2, 0, p; or.b32 %0, %0, t;\n"
	    "setp.neu.f32 p, %1, %2; selp.u32 t, 4, 0, p; or.b32 %0, %0, t;\n"
	    "setp.equ.f32 p, %1, %2; selp.u32 t, 8, 0, p; or.b32 %0, %0, t;\n"
	    "setp.nan.f32 p, %1, %2; selp.u32 t, 16, 0, p; or.b32 %0, %0, t;\n"
	    "setp.ne.f32 p, %1, %2; selp.u32 t, 32, 0, p; or.b32 %0, %0, t;\n"
	    "testp.finite.f32 p, %1; selp.u32 t, 64, 0, p; or.b32 %0, %0, t;\n"
	    "testp.subnormal.f32 p, %1; selp.u32 t, 128, 0, p; or.b32 %0, %0, t; }"
	    : "+r"(bits) : "f"(a), "f"(b));
	bool nan = a != a || b != b;

	expected = (a < b) | (nan || a <= b) << 1 | (nan || a != b) << 2 | (nan || a == b) << 3
		| nan << 4 | (!nan && a != b) << 5 | (fabsf(a) < INFINITY) << 6
		| (a != 0 && fabsf(a) < 0x1p-126f) << 7;
	return bits != expected;
}

__device__ bool conversions_differ(float a, double d, int i)
{
	int near, cut, down;
	unsigned up;
	long long wide;
	float of_int, of_double, whole;
	unsigned short h, b;
	unsigned hh, bb;
	float from_half, from_bf16;

	asm("cvt.rni.s32.f32 %0, %1;" : "=r"(near) : "f"(a));
	asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(cut) : "f"(a));
	asm("cvt.rmi.s32.f64 %0, %1;" : "=r"(down) : "d"(d));
	asm("cvt.rpi.u32.f32 %0, %1;" : "=r"(up) : "f"(a));
	asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(wide) : "f"(a));
	asm("cvt.rn.f32.s32 %0, %1;" : "=f"(of_int) : "r"(i));
	asm("cvt.rn.f32.f64 %0, %1;" : "=f"(of_double) : "d"(d));
	asm("cvt.rni.f32.f32 %0, %1;" : "=f"(whole) : "f"(a));
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a));
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(a));
	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(hh) : "f"(a), "f"(1.0f));
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bb) : "f"(1.0f), "f"(a));
	asm("cvt.f32.f16 %0, %1;" : "=f"(from_half) : "h"(h));
	asm("{ mov.b32 %0, {0, %1}; }" : "=f"(from_bf16) : "h"(b));
	long long expected_wide = a != a || a >= 0x1p63f || a < -0x1p63f
		? (a >= 0x1p63f ? 0x7fffffffffffffffll : (long long)(1ull << 63)) : (long long)a;

	return near != __float2int_rn(a) || cut != __float2int_rz(a) || down != __double2int_rd(d)
		|| up != __float2uint_ru(a) || wide != expected_wide || of_int != (float)i
		|| !same(of_double, (float)d) || !same(whole, rintf(a))
		|| h != __half_as_ushort(__float2half(a))
		|| b != __bfloat16_as_ushort(__float2bfloat16(a))
		|| hh != ((unsigned)h << 16 | 0x3c00) || bb != (0x3f800000u | b)
		|| !same(from_half, __half2float(__float2half(a)))
		|| !same(from_bf16, __bfloat162float(__float2bfloat16(a)));
}

__device__ bool halves_differ(float x, float y, float z)
{
	__half2 a = __floats2half2_rn(x, y), b = __floats2half2_rn(z, x);
	__nv_bfloat162 p = __floats2bfloat162_rn(x, y), q = __floats2bfloat162_rn(z, x);
	unsigned ua = *(unsigned *)&a, ub = *(unsigned *)&b, up = *(unsigned *)&p;
	unsigned uq = *(unsigned *)&q, add, mul, fma, bfma;

	asm("add.f16x2 %0, %1, %2;" : "=r"(add) : "r"(ua), "r"(ub));
	asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(mul) : "r"(ua), "r"(ub));
	asm("fma.rn.f16x2 %0, %1, %2, %1;" : "=r"(fma) : "r"(ua), "r"(ub));
	asm("fma.rn.bf16x2 %0, %1, %2, %1;" : "=r"(bfma) : "r"(up), "r"(uq));
	__half2 c[3] = { __hadd2(a, b), __hmul2(a, b), __hfma2(a, b, a) };
	__nv_bfloat162 d = __hfma2(p, q, p);

	return add != *(unsigned *)&c[0] || mul != *(unsigned *)&c[1] || fma != *(unsigned *)&c[2]
		|| bfma != *(unsigned *)&d;
}

__global__ void reals(const float *in, unsigned *wrong, int count)
{
	for (int i = 0; i < 8; i++)
		wrong[i] = 0;
	for (int k = 0; k < count; k++) {
		float a = in[k], b = in[(k * 7 + 1) % count], c = in[(k * 5 + 3) % count];

		wrong[0] += arithmetic_differs(a, b, c);
		wrong[1] += double_differs((double)a * 1.1, b, c);
		wrong[2] += approximations_differ(a, b);
		wrong[3] += flushing_differs(a, b);
		wrong[4] += comparisons_differ(a, b);
		wrong[5] += conversions_differ(a, (double)a * 1e-3, (int)(a * 3.0f));
		wrong[6] += halves_differ(a, b, c);
	}
}
