/* told.h - the models of the GPU's functions as kernels call them: FT_MODEL(model, arguments).
 *
 * Many models compute in integers, where no processor notices a NaN that is made out of numbers,
 * and some pass one by on the way to a number. So checked kernels call each through a function that
 * looks at what went in and what came out, and tells the checker (sim/check/check_nan.c), with the place
 * that called. Other kernels call the models themselves. Part of sim/cuda/cuda_c.h.
 */
#ifndef TOLD_H
#define TOLD_H

#ifdef FLASHTWIN_CHECK

#define FT_MODEL(model, ...) ft_told_##model(__VA_ARGS__)

#define FT_TOLD(model, parameters, arguments, are_numbers) \
	static __attribute__((unused, noinline, FT_UNCHECKED)) float ft_told_##model parameters \
	{ \
		float result; \
		ft_in_model = 1; \
		result = model arguments; \
		ft_in_model = 0; \
		if (result != result && (are_numbers)) \
			ft_nan_born(__builtin_return_address(0)); \
		return result; \
	}
#define FT_TOLD1(model) FT_TOLD(model, (float x), (x), x == x)
#define FT_TOLD2(model) FT_TOLD(model, (float x, float y), (x, y), x == x && y == y)

FT_TOLD1(ex2_approx_noftz)
FT_TOLD1(ex2_expf)
FT_TOLD1(ex2_cuda__expf)
FT_TOLD1(cuda_exp10f)
FT_TOLD1(cuda_expm1f)
FT_TOLD1(cuda_logf)
FT_TOLD1(cuda_log2f)
FT_TOLD1(cuda_log10f)
FT_TOLD1(cuda_log1pf)
FT_TOLD1(cuda_sinf)
FT_TOLD1(cuda_cosf)
FT_TOLD1(cuda_tanhf)
FT_TOLD1(cuda_erff)
FT_TOLD1(rsqrt_approx_noftz)
FT_TOLD1(cuda__logf)
FT_TOLD1(lg2_approx_noftz)
FT_TOLD1(cuda__log10f)
FT_TOLD1(sin_approx)
FT_TOLD1(cos_approx)
FT_TOLD1(tanh_approx)
FT_TOLD2(cuda_powf)
FT_TOLD2(cuda__powf)
FT_TOLD2(div_approx_noftz)

#undef FT_TOLD1
#undef FT_TOLD2
#undef FT_TOLD

#else
#define FT_MODEL(model, ...) model(__VA_ARGS__)
#endif

#endif
