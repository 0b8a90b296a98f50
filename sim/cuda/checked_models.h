/* checked_models.h - FT_MODEL(model, arguments) calls a model of a GPU's function from a kernel.
 *
 * In checked kernels a wrapper looks at the arguments and the result of the model, and reports a
 * NaN made from numbers to the checker (sim/check/check_nan.c), with the caller's address. Traps
 * cannot do that: many models compute in integers, which never trap, and some use a NaN on the way
 * to a number. Other kernels call the models directly. Part of sim/cuda/cuda_c.h.
 */
#ifndef CHECKED_MODELS_H
#define CHECKED_MODELS_H

#ifdef FLASHTWIN_CHECK

#define FT_MODEL(model, ...) ft_checked_##model(__VA_ARGS__)

#define FT_CHECKED(type, model, parameters, arguments, are_numbers) \
	static __attribute__((unused, noinline, FT_UNCHECKED)) type ft_checked_##model parameters \
	{ \
		type result; \
		ft_in_model = 1; \
		result = model arguments; \
		ft_in_model = 0; \
		if (result != result && (are_numbers)) \
			ft_nan_born(__builtin_return_address(0)); \
		return result; \
	}
#define FT_CHECKED1(model) FT_CHECKED(float, model, (float x), (x), x == x)
#define FT_CHECKED2(model) FT_CHECKED(float, model, (float x, float y), (x, y), x == x && y == y)
#define FT_CHECKED3(model) \
	FT_CHECKED(float, model, (float x, float y, float z), (x, y, z), \
		   x == x && y == y && z == z)
#define FT_CHECKED4(model) \
	FT_CHECKED(float, model, (float x, float y, float z, float t), (x, y, z, t), \
		   x == x && y == y && z == z && t == t)
#define FT_CHECKED_D(name) FT_CHECKED(double, ft_double_##name, (double x), (x), x == x)
#define FT_CHECKED_D2(name) \
	FT_CHECKED(double, ft_double_##name, (double x, double y), (x, y), x == x && y == y)

FT_CHECKED1(ex2_approx_noftz)
FT_CHECKED1(ex2_expf)
FT_CHECKED1(ex2_cuda__expf)
FT_CHECKED1(cuda_exp10f)
FT_CHECKED1(cuda_expm1f)
FT_CHECKED1(cuda_logf)
FT_CHECKED1(cuda_log2f)
FT_CHECKED1(cuda_log10f)
FT_CHECKED1(cuda_log1pf)
FT_CHECKED1(cuda_sinf)
FT_CHECKED1(cuda_cosf)
FT_CHECKED1(cuda_tanhf)
FT_CHECKED1(cuda_erff)
FT_CHECKED1(cuda_sinhf)
FT_CHECKED1(cuda_coshf)
FT_CHECKED1(cuda_tanf)
FT_CHECKED1(cuda_sinpif)
FT_CHECKED1(cuda_cospif)
FT_CHECKED1(cuda_asinf)
FT_CHECKED1(cuda_acosf)
FT_CHECKED1(cuda_atanf)
FT_CHECKED1(cuda_asinhf)
FT_CHECKED1(cuda_acoshf)
FT_CHECKED1(cuda_atanhf)
FT_CHECKED1(cuda_cbrtf)
FT_CHECKED1(cuda_rcbrtf)
FT_CHECKED1(cuda_erfcf)
FT_CHECKED1(cuda_erfinvf)
FT_CHECKED1(cuda_erfcinvf)
FT_CHECKED1(cuda_normcdff)
FT_CHECKED1(cuda_normcdfinvf)
FT_CHECKED1(rcp_approx_noftz)
FT_CHECKED1(rsqrt_approx_noftz)
FT_CHECKED1(cuda__logf)
FT_CHECKED1(lg2_approx_noftz)
FT_CHECKED1(cuda__log10f)
FT_CHECKED1(sin_approx)
FT_CHECKED1(cos_approx)
FT_CHECKED1(tanh_approx)
FT_CHECKED2(cuda_powf)
FT_CHECKED2(cuda__powf)
FT_CHECKED2(cuda_atan2f)
FT_CHECKED2(cuda_hypotf)
FT_CHECKED2(cuda_rhypotf)
FT_CHECKED3(cuda_norm3df)
FT_CHECKED3(cuda_rnorm3df)
FT_CHECKED4(cuda_norm4df)
FT_CHECKED4(cuda_rnorm4df)
FT_CHECKED2(div_approx_noftz)
FT_CHECKED_D(exp)
FT_CHECKED_D(exp2)
FT_CHECKED_D(exp10)
FT_CHECKED_D(expm1)
FT_CHECKED_D(log)
FT_CHECKED_D(log2)
FT_CHECKED_D(log10)
FT_CHECKED_D(log1p)
FT_CHECKED_D2(pow)
FT_CHECKED_D(sin)
FT_CHECKED_D(cos)
FT_CHECKED_D(tan)
FT_CHECKED_D(sinpi)
FT_CHECKED_D(cospi)
FT_CHECKED_D(asin)
FT_CHECKED_D(acos)
FT_CHECKED_D(atan)
FT_CHECKED_D2(atan2)
FT_CHECKED_D(sinh)
FT_CHECKED_D(cosh)
FT_CHECKED_D(tanh)
FT_CHECKED_D(asinh)
FT_CHECKED_D(acosh)
FT_CHECKED_D(atanh)
FT_CHECKED_D(cbrt)
FT_CHECKED_D(rcbrt)
FT_CHECKED_D(rsqrt)
FT_CHECKED_D2(hypot)
FT_CHECKED_D2(rhypot)
FT_CHECKED_D(erf)
FT_CHECKED_D(erfc)
FT_CHECKED_D(erfcx)
FT_CHECKED_D(normcdf)
FT_CHECKED_D(erfinv)
FT_CHECKED_D(erfcinv)
FT_CHECKED_D(normcdfinv)

#undef FT_CHECKED1
#undef FT_CHECKED2
#undef FT_CHECKED3
#undef FT_CHECKED4
#undef FT_CHECKED_D
#undef FT_CHECKED_D2
#undef FT_CHECKED

#else
#define FT_MODEL(model, ...) model(__VA_ARGS__)
#endif

#endif
