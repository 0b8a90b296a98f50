/* math_list.h - every float operation whose bits are verified: functions, their inputs, their hash.
 *
 * Valid C and CUDA C++. Each entry becomes a kernel in kernels/verify_math.cu and a row in
 * kernels/math_table.c; kernels/math_sums.h holds the results of a GPU. Only defines what is
 * computed; engine/verify_math.c runs it.
 *
 * Input i of a function of one argument is the float with the bits i. A function of two arguments
 * gets pseudo-random pairs of eight kinds, then all pairs of 64 special values. The hash of a range
 * is the sum of (bits of the result) * (2i + 1) modulo 2^64, in any order; every NaN counts as
 * 0x7fffffff.
 */
#ifndef MATH_LIST_H
#define MATH_LIST_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define MATH_FN static __device__ __forceinline__
#else
#define MATH_FN static inline __attribute__((unused))
#endif

/* PTX instructions: X(id, name, arguments, model, instruction). By default nvcc emits the forms
 * without .ftz; "fast" entries are what -use_fast_math makes of a function. */
#define MATH_PTX_LIST(X) \
	X(ex2_ftz, "ex2.approx.ftz.f32", 1, ex2_approx(x), PTX1("ex2.approx.ftz.f32", x)) \
	X(ex2, "ex2.approx.f32", 1, ex2_approx_noftz(x), PTX1("ex2.approx.f32", x)) \
	X(rcp_ftz, "rcp.approx.ftz.f32", 1, rcp_approx(x), PTX1("rcp.approx.ftz.f32", x)) \
	X(rcp, "rcp.approx.f32", 1, rcp_approx_noftz(x), PTX1("rcp.approx.f32", x)) \
	X(lg2_ftz, "lg2.approx.ftz.f32", 1, lg2_approx(x), PTX1("lg2.approx.ftz.f32", x)) \
	X(lg2, "lg2.approx.f32", 1, lg2_approx_noftz(x), PTX1("lg2.approx.f32", x)) \
	X(rsqrt_ftz, "rsqrt.approx.ftz.f32", 1, rsqrt_approx(x), PTX1("rsqrt.approx.ftz.f32", x)) \
	X(rsqrt, "rsqrt.approx.f32", 1, rsqrt_approx_noftz(x), PTX1("rsqrt.approx.f32", x)) \
	X(sqrt_ftz, "sqrt.approx.ftz.f32", 1, sqrt_approx(x), PTX1("sqrt.approx.ftz.f32", x)) \
	X(sqrt, "sqrt.approx.f32", 1, sqrt_approx_noftz(x), PTX1("sqrt.approx.f32", x)) \
	X(tanh, "tanh.approx.f32", 1, tanh_approx(x), PTX1("tanh.approx.f32", x)) \
	X(sin_ftz, "sin.approx.ftz.f32", 1, sin_approx(x), PTX1("sin.approx.ftz.f32", x)) \
	X(sin, "sin.approx.f32", 1, sin_approx(x), PTX1("sin.approx.f32", x)) \
	X(cos_ftz, "cos.approx.ftz.f32", 1, cos_approx(x), PTX1("cos.approx.ftz.f32", x)) \
	X(cos, "cos.approx.f32", 1, cos_approx(x), PTX1("cos.approx.f32", x)) \
	X(mul_ftz, "mul.ftz.f32", 2, mul_ftz(x, y), PTX2("mul.ftz.f32", x, y)) \
	X(div, "div.approx.f32", 2, div_approx_noftz(x, y), PTX2("div.approx.f32", x, y)) \
	X(div_ftz, "div.approx.ftz.f32", 2, div_approx(x, y), PTX2("div.approx.ftz.f32", x, y)) \
	X(full, "div.full.f32", 2, div_full_noftz(x, y), PTX2("div.full.f32", x, y)) \
	X(full_ftz, "div.full.ftz.f32", 2, div_full(x, y), PTX2("div.full.ftz.f32", x, y)) \
	X(fast_exp, "expf, fast", 1, ex2_cuda__expf_fast(x), \
	  PTX1("ex2.approx.ftz.f32", PTX2("mul.ftz.f32", x, 1.44269502162933349609375f))) \
	X(fast_log, "logf, fast", 1, cuda__logf_fast(x), \
	  PTX2("mul.ftz.f32", PTX1("lg2.approx.ftz.f32", x), 0.693147182464599609375f)) \
	X(fast_log10, "log10f, fast", 1, cuda__log10f_fast(x), \
	  PTX2("mul.ftz.f32", PTX1("lg2.approx.ftz.f32", x), __uint_as_float(0x3e9a209bu))) \
	X(fast_pow, "powf, fast", 2, cuda__powf_fast(x, y), \
	  PTX1("ex2.approx.ftz.f32", PTX2("mul.ftz.f32", y, PTX1("lg2.approx.ftz.f32", x))))

/* CUDA functions that the simulator maps to models: X(id, name, arguments, kind, expression). The
 * result is a float for kind F and a 32-bit integer for kind I; x and y are the arguments, a and b
 * their bits. */
#define MATH_CUDA_LIST(X) \
	X(exp2f,      "exp2f",      1, F, exp2f(x)) \
	X(expf,       "expf",       1, F, expf(x)) \
	X(exp10f,     "exp10f",     1, F, exp10f(x)) \
	X(expm1f,     "expm1f",     1, F, expm1f(x)) \
	X(logf,       "logf",       1, F, logf(x)) \
	X(log2f,      "log2f",      1, F, log2f(x)) \
	X(log10f,     "log10f",     1, F, log10f(x)) \
	X(log1pf,     "log1pf",     1, F, log1pf(x)) \
	X(sinf,       "sinf",       1, F, sinf(x)) \
	X(cosf,       "cosf",       1, F, cosf(x)) \
	X(sincosf_s,  "sincosf, sine",   1, F, math_sincos(x, 0)) \
	X(sincosf_c,  "sincosf, cosine", 1, F, math_sincos(x, 1)) \
	X(tanhf,      "tanhf",      1, F, tanhf(x)) \
	X(erff,       "erff",       1, F, erff(x)) \
	X(rsqrtf,     "rsqrtf",     1, F, rsqrtf(x)) \
	X(powf,       "powf",       2, F, powf(x, y)) \
	X(__expf,     "__expf",     1, F, __expf(x)) \
	X(__exp10f,   "__exp10f",   1, F, __exp10f(x)) \
	X(__logf,     "__logf",     1, F, __logf(x)) \
	X(__log2f,    "__log2f",    1, F, __log2f(x)) \
	X(__log10f,   "__log10f",   1, F, __log10f(x)) \
	X(__sinf,     "__sinf",     1, F, __sinf(x)) \
	X(__cosf,     "__cosf",     1, F, __cosf(x)) \
	X(__sincosf_s, "__sincosf, sine",   1, F, math_fast_sincos(x, 0)) \
	X(__sincosf_c, "__sincosf, cosine", 1, F, math_fast_sincos(x, 1)) \
	X(__tanf,     "__tanf",     1, F, __tanf(x)) \
	X(__powf,     "__powf",     2, F, __powf(x, y)) \
	X(__fdividef, "__fdividef", 2, F, __fdividef(x, y))

/* The others of base/math/float_model.c; z and t are further arguments. */
#define MATH_MORE_LIST(X) \
	X(sinhf, "sinhf", 1, F, sinhf(x)) \
	X(coshf, "coshf", 1, F, coshf(x)) \
	X(tanf, "tanf", 1, F, tanf(x)) \
	X(sinpif, "sinpif", 1, F, sinpif(x)) \
	X(cospif, "cospif", 1, F, cospif(x)) \
	X(sincospif_s, "sincospif, sine", 1, F, math_sincospi(x, 0)) \
	X(sincospif_c, "sincospif, cosine", 1, F, math_sincospi(x, 1)) \
	X(asinf, "asinf", 1, F, asinf(x)) \
	X(acosf, "acosf", 1, F, acosf(x)) \
	X(atanf, "atanf", 1, F, atanf(x)) \
	X(asinhf, "asinhf", 1, F, asinhf(x)) \
	X(acoshf, "acoshf", 1, F, acoshf(x)) \
	X(atanhf, "atanhf", 1, F, atanhf(x)) \
	X(cbrtf, "cbrtf", 1, F, cbrtf(x)) \
	X(rcbrtf, "rcbrtf", 1, F, rcbrtf(x)) \
	X(erfcf, "erfcf", 1, F, erfcf(x)) \
	X(erfinvf, "erfinvf", 1, F, erfinvf(x)) \
	X(erfcinvf, "erfcinvf", 1, F, erfcinvf(x)) \
	X(normcdff, "normcdff", 1, F, normcdff(x)) \
	X(normcdfinvf, "normcdfinvf", 1, F, normcdfinvf(x)) \
	X(atan2f, "atan2f", 2, F, atan2f(x, y)) \
	X(hypotf, "hypotf", 2, F, hypotf(x, y)) \
	X(rhypotf, "rhypotf", 2, F, rhypotf(x, y)) \
	X(norm3df, "norm3df", 2, F, norm3df(x, y, z)) \
	X(norm4df, "norm4df", 2, F, norm4df(x, y, z, t)) \
	X(rnorm3df, "rnorm3df", 2, F, rnorm3df(x, y, z)) \
	X(rnorm4df, "rnorm4df", 2, F, rnorm4df(x, y, z, t))

/* Operations whose bits IEEE 754 or arithmetic alone determines, as spelled in CUDA. */
#define MATH_EXACT_LIST(X) \
	X(add,        "x + y",      2, F, x + y) \
	X(subtract,   "x - y",      2, F, x - y) \
	X(multiply,   "x * y",      2, F, x * y) \
	X(divide,     "x / y",      2, F, x / y) \
	X(reciprocal, "1.0f / x",   1, F, 1.0f / x) \
	X(sqrtf,      "sqrtf",      1, F, sqrtf(x)) \
	X(fmaf,       "fmaf(x, y, x)", 2, F, fmaf(x, y, x)) \
	X(__frcp_rn,  "__frcp_rn",  1, F, __frcp_rn(x)) \
	X(__frsqrt_rn, "__frsqrt_rn", 1, F, __frsqrt_rn(x)) \
	X(__saturatef, "__saturatef", 1, F, __saturatef(x)) \
	X(fabsf,      "fabsf",      1, F, fabsf(x)) \
	X(floorf,     "floorf",     1, F, floorf(x)) \
	X(ceilf,      "ceilf",      1, F, ceilf(x)) \
	X(truncf,     "truncf",     1, F, truncf(x)) \
	X(rintf,      "rintf",      1, F, rintf(x)) \
	X(nearbyintf, "nearbyintf", 1, F, nearbyintf(x)) \
	X(roundf,     "roundf",     1, F, roundf(x)) \
	X(copysignf,  "copysignf",  2, F, copysignf(x, y)) \
	X(fmaxf,      "fmaxf",      2, F, fmaxf(x, y)) \
	X(fminf,      "fminf",      2, F, fminf(x, y)) \
	X(fdimf,      "fdimf",      2, F, fdimf(x, y)) \
	X(fmodf,      "fmodf",      2, F, fmodf(x, y)) \
	X(remainderf, "remainderf", 2, F, remainderf(x, y)) \
	X(nextafterf, "nextafterf", 2, F, nextafterf(x, y)) \
	X(ldexpf,     "ldexpf",     2, F, ldexpf(x, (int)(b % 601u) - 300)) \
	X(scalbnf,    "scalbnf",    2, F, scalbnf(x, (int)(b % 601u) - 300)) \
	X(logbf,      "logbf",      1, F, logbf(x)) \
	X(ilogbf,     "ilogbf",     1, I, ilogbf(x)) \
	X(frexpf_m,   "frexpf, fraction", 1, F, math_fraction(x)) \
	X(frexpf_e,   "frexpf, exponent", 1, I, math_exponent(x)) \
	X(modff_f,    "modff, fraction", 1, F, math_modff(x, 0)) \
	X(modff_i,    "modff, integer", 1, F, math_modff(x, 1)) \
	X(f2i_rn,     "__float2int_rn",  1, I, __float2int_rn(x)) \
	X(f2i_rz,     "__float2int_rz",  1, I, __float2int_rz(x)) \
	X(f2i_rd,     "__float2int_rd",  1, I, __float2int_rd(x)) \
	X(f2i_ru,     "__float2int_ru",  1, I, __float2int_ru(x)) \
	X(f2u_rn,     "__float2uint_rn", 1, I, __float2uint_rn(x)) \
	X(f2u_rz,     "__float2uint_rz", 1, I, __float2uint_rz(x)) \
	X(f2u_rd,     "__float2uint_rd", 1, I, __float2uint_rd(x)) \
	X(f2u_ru,     "__float2uint_ru", 1, I, __float2uint_ru(x)) \
	X(i2f_rn,     "__int2float_rn",  1, F, __int2float_rn((int)a)) \
	X(u2f_rn,     "__uint2float_rn", 1, F, __uint2float_rn(a))

/* The same of other rounding directions and results; the result is a 64-bit integer for kind L. */
#define MATH_ROUNDED_LIST(X) \
	X(fdividef, "fdividef", 2, F, fdividef(x, y)) \
	X(scalblnf, "scalblnf", 2, F, scalblnf(x, (long)(b % 601u) - 300)) \
	X(lrintf, "lrintf", 1, L, lrintf(x)) \
	X(llrintf, "llrintf", 1, L, llrintf(x)) \
	X(lroundf, "lroundf", 1, L, lroundf(x)) \
	X(llroundf, "llroundf", 1, L, llroundf(x)) \
	X(add_rd, "__fadd_rd", 2, F, __fadd_rd(x, y)) \
	X(add_ru, "__fadd_ru", 2, F, __fadd_ru(x, y)) \
	X(add_rz, "__fadd_rz", 2, F, __fadd_rz(x, y)) \
	X(sub_rd, "__fsub_rd", 2, F, __fsub_rd(x, y)) \
	X(sub_ru, "__fsub_ru", 2, F, __fsub_ru(x, y)) \
	X(sub_rz, "__fsub_rz", 2, F, __fsub_rz(x, y)) \
	X(mul_rd, "__fmul_rd", 2, F, __fmul_rd(x, y)) \
	X(mul_ru, "__fmul_ru", 2, F, __fmul_ru(x, y)) \
	X(mul_rz, "__fmul_rz", 2, F, __fmul_rz(x, y)) \
	X(div_rd, "__fdiv_rd", 2, F, __fdiv_rd(x, y)) \
	X(div_ru, "__fdiv_ru", 2, F, __fdiv_ru(x, y)) \
	X(div_rz, "__fdiv_rz", 2, F, __fdiv_rz(x, y)) \
	X(rcp_rd, "__frcp_rd", 1, F, __frcp_rd(x)) \
	X(rcp_ru, "__frcp_ru", 1, F, __frcp_ru(x)) \
	X(rcp_rz, "__frcp_rz", 1, F, __frcp_rz(x)) \
	X(sqrt_rd, "__fsqrt_rd", 1, F, __fsqrt_rd(x)) \
	X(sqrt_ru, "__fsqrt_ru", 1, F, __fsqrt_ru(x)) \
	X(sqrt_rz, "__fsqrt_rz", 1, F, __fsqrt_rz(x)) \
	X(fma_rd, "__fmaf_rd", 2, F, __fmaf_rd(x, y, z)) \
	X(fma_ru, "__fmaf_ru", 2, F, __fmaf_ru(x, y, z)) \
	X(fma_rz, "__fmaf_rz", 2, F, __fmaf_rz(x, y, z)) \
	X(i2f_rd, "__int2float_rd", 1, F, __int2float_rd((int)a)) \
	X(i2f_ru, "__int2float_ru", 1, F, __int2float_ru((int)a)) \
	X(i2f_rz, "__int2float_rz", 1, F, __int2float_rz((int)a)) \
	X(u2f_rd, "__uint2float_rd", 1, F, __uint2float_rd(a)) \
	X(u2f_ru, "__uint2float_ru", 1, F, __uint2float_ru(a)) \
	X(u2f_rz, "__uint2float_rz", 1, F, __uint2float_rz(a))

#define MATH_LIST(X) MATH_PTX_LIST(X) MATH_CUDA_LIST(X) MATH_EXACT_LIST(X) MATH_MORE_LIST(X) \
	MATH_ROUNDED_LIST(X)

/* --- inputs --- */

#define MATH_BITS     ((uint64_t)1 << 32)       /* all floats, or as many pairs */
#define MATH_SPECIALS 64u
#define MATH_PAIRS    (MATH_SPECIALS * MATH_SPECIALS)

/* The sample for a quick check: every 4093rd input, then all pairs of special values (a function of
 * one argument takes the first of each pair). 4093 is odd, so all kinds of pairs occur. */
#define MATH_SAMPLE_STRIDE 4093u
#define MATH_SAMPLE_COUNT  (MATH_BITS / MATH_SAMPLE_STRIDE + 1)

/* Special value n of 64: zeros, subnormals, around 1, 2, 2^24 and 2^126, infinities and NaNs. */
MATH_FN uint32_t math_special(uint32_t n)
{
	const uint32_t magnitude[MATH_SPECIALS / 2] = {
		0x00000000u, 0x00000001u, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u,
		0x01000000u, 0x33800000u, 0x3e800000u, 0x3f000000u, 0x3f7fffffu, 0x3f800000u,
		0x3f800001u, 0x3fc00000u, 0x40000000u, 0x40400000u, 0x40490fdbu, 0x40a00000u,
		0x41200000u, 0x42fe0000u, 0x43160000u, 0x4b000001u, 0x4b800000u, 0x4b800001u,
		0x4e800000u, 0x7e000001u, 0x7e800000u, 0x7e800001u, 0x7f000001u, 0x7f7fffffu,
		0x7f800000u, 0x7fc00001u,
	};

	return magnitude[n >> 1] | n << 31;
}

/* splitmix64. */
MATH_FN uint64_t math_mix(uint64_t i)
{
	uint64_t z = i + 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 1.0f, 1.5f and the like as bits: multiples of 1/2 up to 32, special cases of powf. */
MATH_FN uint32_t math_halves(uint32_t n)
{
	float value = (float)((int)(n & 127u) - 64) * 0.5f;
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

#define MATH_FIELD(bits, exponent) (((bits) & 0x807fffffu) | (uint32_t)(exponent) << 23)

/* Pair i, which is below MATH_BITS + MATH_PAIRS. */
MATH_FN void math_pair(uint64_t i, uint32_t *a, uint32_t *b)
{
	uint64_t mixed = math_mix(i);
	uint32_t p = (uint32_t)(mixed >> 32), q = (uint32_t)mixed, e;

	if (i >= MATH_BITS) {
		*a = math_special((uint32_t)i / MATH_SPECIALS % MATH_SPECIALS);
		*b = math_special((uint32_t)i % MATH_SPECIALS);
		return;
	}
	switch (i & 7u) {
	case 2: case 3: case 6:         /* magnitudes 2^-16 to 2^15 */
		p = MATH_FIELD(p, 111u + (p >> 23 & 31u));
		q = (i & 7u) == 6u ? math_halves(MATH_FIELD(q, 111u + (q >> 23 & 31u)) >> 8)
				   : MATH_FIELD(q, 111u + (q >> 23 & 31u));
		break;
	case 4:                         /* y tiny, huge or NaN */
		e = q >> 23 & 7u;
		q = MATH_FIELD(q, e < 4u ? e : 248u + e);
		break;
	case 5:                         /* x / y around 2^-126 */
		e = 130u + (q >> 23 & 63u);
		q = MATH_FIELD(q, e);
		p = MATH_FIELD(p, e - 128u + (p >> 23 & 3u));
		break;
	case 7:                         /* x near 1, y large */
		p = 0x3f800000u + (p & 0xfffffu) - 0x80000u;
		q = MATH_FIELD(q, 127u + (q >> 23 & 31u));
		break;
	default:                        /* any bits */
		break;
	}
	*a = p;
	*b = q;
}

/* Input i of a function of `arguments` arguments. */
MATH_FN void math_input(int arguments, uint64_t i, uint32_t *a, uint32_t *b)
{
	*a = (uint32_t)i;
	*b = 0;
	if (arguments == 2 || i >= MATH_BITS)
		math_pair(i, a, b);
}

/* A further argument of a function of more than two: near the first in magnitude, in most cases. */
MATH_FN uint32_t math_third(uint32_t a, uint32_t b)
{
	return a + (b << 7 | b >> 25) % 0x04000000u - 0x02000000u;
}

#endif
