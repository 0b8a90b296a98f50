/* half_math.h - the functions of CUDA's half precision that are rounded from a function of float.
 *
 * Part of cuda_fp16.h. On a GPU these are short sequences of float operations, then a rounding and,
 * for the few arguments where the result would not be the nearest, a correction (CUDA 13,
 * cuda_fp16.hpp); the float operations have exact models. htanh_approx is one instruction without a
 * model, hence absent.
 */
#ifndef SIM_HALF_MATH_H
#define SIM_HALF_MATH_H

struct ft_half_correction { unsigned short at, add; };

/* `rounded`, plus what the list adds for an argument that equals `at`. */
template <size_t N> static inline __half ft_half_corrected(__half argument, __half rounded,
							   const ft_half_correction (&list)[N])
{
	for (const ft_half_correction &c : list)
		if (argument == __ushort_as_half(c.at))
			rounded = rounded + __ushort_as_half(c.add);
	return rounded;
}

static inline __half hexp(__half a)
{
	const ft_half_correction list[] = {
		{ 0x1f79, 0x9400 }, { 0x25cf, 0x9400 }, { 0xc13b, 0x0400 }, { 0xc1ef, 0x0200 }
	};
	float log2e = __uint_as_float(0x3fb8aa3b);

	return ft_half_corrected(a, FT_MODEL(ex2_approx_noftz, (float)a * log2e), list);
}

static inline __half hexp2(__half a)
{
	float power = FT_MODEL(ex2_approx_noftz, (float)a);

	return fmaf(power, 0x1p-24f, power);
}

static inline __half hexp10(__half a)
{
	const ft_half_correction list[] = {
		{ 0x34de, 0x9800 }, { 0x9766, 0x9000 }, { 0x9972, 0x1000 }, { 0xa5c4, 0x1000 },
		{ 0xbf0a, 0x8100 }
	};
	float log2_10 = __uint_as_float(0x40549a78);

	return ft_half_corrected(a, FT_MODEL(ex2_approx_noftz, (float)a * log2_10), list);
}

/* The corrections of this one depend on the result. */
static inline __half hlog2(__half a)
{
	const ft_half_correction list[] = { { 0xa2e2, 0x8080 }, { 0xbf46, 0x9400 } };
	__half rounded = FT_MODEL(lg2_approx_noftz, (float)a);

	return ft_half_corrected(rounded, rounded, list);
}

static inline __half hlog(__half a)
{
	const ft_half_correction list[] = {
		{ 0x160d, 0x9c00 }, { 0x3bfe, 0x8010 }, { 0x3c0b, 0x8080 }, { 0x6051, 0x1c00 }
	};
	float ln2 = __uint_as_float(0x3f317218);

	return ft_half_corrected(a, FT_MODEL(lg2_approx_noftz, (float)a) * ln2, list);
}

static inline __half hlog10(__half a)
{
	const ft_half_correction list[] = {
		{ 0x338f, 0x1000 }, { 0x33f8, 0x9000 }, { 0x57e1, 0x9800 }, { 0x719d, 0x9c00 }
	};
	float log10_2 = __uint_as_float(0x3e9a209b);

	return ft_half_corrected(a, FT_MODEL(lg2_approx_noftz, (float)a) * log10_2, list);
}

static inline __half hrcp(__half a) { return FT_MODEL(rcp_approx_noftz, (float)a); }
static inline __half hrsqrt(__half a) { return FT_MODEL(rsqrt_approx_noftz, (float)a); }
static inline __half htanh(__half a) { return FT_MODEL(cuda_tanhf, (float)a); }

/* The sine of a, or of a + quarter * pi / 2: pi / 2 is subtracted in two parts, enough for half's
 * range, and a polynomial gives the sine or the cosine of the rest. */
static inline float ft_half_trig(float a, unsigned quarter)
{
	const float shifter = 12582912.0f;      /* 1.5 * 2^23: the sum is rounded to an integer */
	float shifted = fmaf(a, 0.636619772f, shifter), turns = shifted - shifter;
	float x = fmaf(turns, -7.5497894158615964e-8f, fmaf(turns, -1.5707962512969971f, a));
	float x2 = x * x, z;

	quarter += __float_as_uint(shifted);
	if (quarter & 1)
		z = fmaf(fmaf(fmaf(fmaf(2.44331571e-5f, x2, -1.38873163e-3f), x2, 4.16666457e-2f),
			      x2, -0.5f), x2, 1.0f);
	else
		z = fmaf(fmaf(fmaf(fmaf(-1.95152959e-4f, x2, 8.33216087e-3f), x2,
				   -1.66666546e-1f), x2, 0.0f), x, x);
	return quarter & 2 ? -z : z;
}

/* The corrections are those of the magnitude. */
static inline __half hsin(__half a)
{
	const ft_half_correction list[] = { { 0x32b3, 0x0800 }, { 0x5cb0, 0x9000 } };
	__half rounded = ft_half_trig((float)a, 0);
	__half magnitude = ft_half_corrected(__habs(a), __habs(rounded), list);

	return __ushort_as_half(__half_as_ushort(magnitude) | (__half_as_ushort(rounded) & 0x8000));
}

static inline __half hcos(__half a)
{
	const ft_half_correction list[] = { { 0x2b7c, 0x1000 } };

	return ft_half_corrected(__habs(a), ft_half_trig((float)a, 1), list);
}

#endif
