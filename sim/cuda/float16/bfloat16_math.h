/* bfloat16_math.h - the functions of CUDA's bfloat16 that are rounded from a function of float.
 *
 * Part of cuda_bf16.h. With compute capability 9.0 each is one or two float operations, which have
 * exact models, and a rounding (CUDA 13, cuda_bf16.hpp). htanh_approx is one instruction without a
 * model, hence absent.
 */
#ifndef SIM_BFLOAT16_MATH_H
#define SIM_BFLOAT16_MATH_H

static inline __nv_bfloat16 hexp(__nv_bfloat16 a)
{
	return FT_MODEL(ex2_approx_noftz, (float)a * __uint_as_float(0x3fb8aa3c));
}

static inline __nv_bfloat16 hexp2(__nv_bfloat16 a) { return FT_MODEL(ex2_approx_noftz, (float)a); }

static inline __nv_bfloat16 hexp10(__nv_bfloat16 a)
{
	if (__bfloat16_as_ushort(a) == 0xbc95)  /* the only result that would not be the nearest */
		return __ushort_as_bfloat16(0x3f75);
	return FT_MODEL(ex2_approx_noftz, (float)a * __uint_as_float(0x40549a78));
}

static inline __nv_bfloat16 hlog2(__nv_bfloat16 a) { return FT_MODEL(lg2_approx_noftz, (float)a); }

static inline __nv_bfloat16 hlog(__nv_bfloat16 a)
{
	return FT_MODEL(lg2_approx_noftz, (float)a) * __uint_as_float(0x3f317218);
}

static inline __nv_bfloat16 hlog10(__nv_bfloat16 a)
{
	return FT_MODEL(lg2_approx_noftz, (float)a) * __uint_as_float(0x3e9a209b);
}

static inline __nv_bfloat16 hrcp(__nv_bfloat16 a) { return FT_MODEL(rcp_approx_noftz, (float)a); }
static inline __nv_bfloat16 hrsqrt(__nv_bfloat16 a)
	{ return FT_MODEL(rsqrt_approx_noftz, (float)a); }
static inline __nv_bfloat16 htanh(__nv_bfloat16 a) { return FT_MODEL(tanh_approx, (float)a); }
static inline __nv_bfloat16 hsin(__nv_bfloat16 a) { return FT_MODEL(cuda_sinf, (float)a); }
static inline __nv_bfloat16 hcos(__nv_bfloat16 a) { return FT_MODEL(cuda_cosf, (float)a); }

#endif
