/* double_exp.c - exp, exp2, exp10, expm1, sinh, cosh, tanh of doubles. Part of double_model.c.
 *
 * exp is 2^n times a polynomial of the rest, x - n ln 2; n is rounded by adding 1.5 * 2^52, whose
 * low word it then is.
 */

MUFU_TABLE double ft_double_exp_terms[] = {
	0x1.ade1569ce2bdfp-26, 0x1.28af3fca213eap-22, 0x1.71dee62401315p-19, 0x1.a01997c89eb71p-16,
	0x1.a01a014761f65p-13, 0x1.6c16c1852b7afp-10, 0x1.1111111122322p-7, 0x1.55555555502a1p-5,
	0x1.5555555555511p-3, 0x1.000000000000bp-1, 1.0, 1.0,
};
MUFU_TABLE double ft_double_expm1_terms[] = {
	0x1.1f4076acd15b6p-29, 0x1.af86d8ebd13cdp-26, 0x1.27e5092ba033dp-22, 0x1.71dde6c5f9da1p-19,
	0x1.a01a018d034e6p-16, 0x1.a01a01b3b694p-13, 0x1.6c16c16c1b5ddp-10, 0x1.111111110f74dp-7,
	0x1.555555555554dp-5, 0x1.5555555555557p-3, 0.5,
};
MUFU_TABLE double ft_double_exp_short_terms[] = {
	0x1.ae904a4741b81p-26, 0x1.28a27f89b6999p-22, 0x1.71de715ff7e07p-19, 0x1.a019a6b0ac45ap-16,
	0x1.a01a017eed94fp-13, 0x1.6c16c17f2a71bp-10, 0x1.11111111173c4p-7, 0x1.555555555211ap-5,
	0x1.555555555554p-3, 0x1.0000000000005p-1,
};
MUFU_TABLE double ft_double_sinh_terms[] = {
	0x1.b4c75ab274c53p-41, 0x1.611a561d87defp-33, 0x1.ae64671b18f5cp-26, 0x1.71de3a465b1e4p-19,
	0x1.a01a01a02899dp-13, 0x1.11111111110a6p-7, 0x1.5555555555556p-3,
};
MUFU_TABLE double ft_double_tanh_terms[] = {
	-0x1.0bc46e2f5e964p-16, 0x1.4359f420afc3dp-14, -0x1.df9f0728c5d84p-13,
	0x1.337d1cec4f033p-11, -0x1.7d6e9674335b3p-10, 0x1.d6d000d7aad3dp-9, -0x1.226e1f3cf1ef5p-7,
	0x1.664f47ec0c8cfp-6, -0x1.ba1ba1b80ab4p-5, 0x1.111111110fa4ap-3, -0x1.555555555555p-2,
	0.0,
};

#define FT_DOUBLE_LOG2_E 0x1.71547652b82fep+0
#define FT_DOUBLE_LN2 0x1.62e42fefa39efp-1
#define FT_DOUBLE_LN2_REST 0x1.abc9e3b39803fp-56
#define FT_DOUBLE_ROUNDER 0x1.8p+52

MUFU_FN double ft_double_without_ln2(double x, double n)
{
	return fma(n, -FT_DOUBLE_LN2_REST, fma(n, -FT_DOUBLE_LN2, x));
}

/* value * 2^n, which may be subnormal or too large, in two factors. */
MUFU_FN double ft_double_scale(double value, int32_t n)
{
	int32_t half = n / 2;

	return ft_double_shift(value, half) * ft_double_shift(1.0, n - half);
}

/* value * 2^n, by limits of |x|'s high word: below `normal`, 2^n is normal; from `end` on, the
 * result is 0 or infinite. */
MUFU_FN double ft_double_exp_scaled(double x, double value, int32_t n, uint32_t normal,
				    uint32_t end)
{
	if (ft_double_high_abs(x) < normal)
		return ft_double_shift(value, n);
	if (ft_double_high_abs(x) >= end)
		return x < 0.0 ? 0.0 : x + FT_DOUBLE_INF;
	return ft_double_scale(value, n);
}

/* exp(x) = *value * 2^result. */
MUFU_FN int32_t ft_double_exp_parts(double x, double *value)
{
	double rounded = fma(x, FT_DOUBLE_LOG2_E, FT_DOUBLE_ROUNDER);

	*value = FT_DOUBLE_POLY(ft_double_exp_terms,
				ft_double_without_ln2(x, rounded - FT_DOUBLE_ROUNDER));
	return (int32_t)ft_double_bits(rounded);
}

MUFU_FN double ft_double_exp(double x)
{
	double value;
	int32_t n = ft_double_exp_parts(x, &value);

	return ft_double_exp_scaled(x, value, n, 0x4086232bu, 0x40874800u);
}

MUFU_FN double ft_double_exp2(double x)
{
	double rounded = x + FT_DOUBLE_ROUNDER, rest = x - (rounded - FT_DOUBLE_ROUNDER);
	int32_t n = (int32_t)ft_double_bits(rounded);
	double value = FT_DOUBLE_POLY(ft_double_exp_terms,
				   fma(rest, FT_DOUBLE_LN2, rest * FT_DOUBLE_LN2_REST));

	return ft_double_exp_scaled(x, value, n, 0x408ff000u, 0x4090cc00u);
}

MUFU_FN double ft_double_exp10(double x)
{
	double rounded = fma(x, 0x1.a934f0979a371p+1, FT_DOUBLE_ROUNDER);
	double whole = rounded - FT_DOUBLE_ROUNDER;
	double rest = fma(whole, 0x1.9dc1da994fd21p-59, fma(whole, -0x1.34413509f79ffp-2, x));
	int32_t n = (int32_t)ft_double_bits(rounded);
	double value = FT_DOUBLE_POLY(ft_double_exp_terms, fma(rest, 0x1.26bb1bbb55516p+1,
							 rest * -0x1.f48ad494ea3e9p-53));

	return ft_double_exp_scaled(x, value, n, 0x40733a71u, 0x407439b8u);
}

/* (exp(x) - 1) * unit, where unit is 1 or 0.5. */
MUFU_FN double ft_double_expm1_times(double x, double unit)
{
	double rounded = fma(x, FT_DOUBLE_LOG2_E, FT_DOUBLE_ROUNDER), rest, power, result;
	int32_t n = (int32_t)ft_double_bits(rounded);
	uint32_t magnitude = ft_double_high(x) << 1, top;

	rest = ft_double_without_ln2(x, rounded - FT_DOUBLE_ROUNDER);
	if (unit < 1.0)
		n--;
	if (magnitude < 0x7fb3e647u) {
		rest = x;
		n = 0;
	}
	if (magnitude == 0)
		return rest;
	top = n == 1024;                /* 2^1024 is not a number: half of it */
	power = ft_double_of_high((((uint32_t)n - top) << 20) + 0x3ff00000u);
	result = rest * FT_DOUBLE_POLY(ft_double_expm1_terms, rest);
	result = fma(fma(result, rest, rest), power, power - unit);
	return top ? result + result : result;
}

MUFU_FN double ft_double_expm1(double x)
{
	uint32_t magnitude = ft_double_high_abs(x);

	if (magnitude < (ft_double_high(x) >> 31 ? 0x404a8000u : 0x40862e43u))
		return ft_double_expm1_times(x, 1.0);
	return x < 0.0 ? -1.0 : x + FT_DOUBLE_INF;
}

MUFU_FN double ft_double_sinh(double x)
{
	double magnitude = fabs(x), square, half;

	if (ft_double_high(magnitude) < 0x3ff00000u) {
		square = magnitude * magnitude;
		square *= FT_DOUBLE_POLY(ft_double_sinh_terms, square);
		return copysign(fma(square, magnitude, magnitude), x);
	}
	if (magnitude >= 0x1.633ce8fb9f87ep+9)
		return copysign(FT_DOUBLE_INF, x);
	half = ft_double_expm1_times(magnitude, 0.5);
	return copysign(half + half / fma(half, 2.0, 1.0), x);
}

MUFU_FN double ft_double_cosh(double x)
{
	double quarter;
	int32_t n;

	x = fabs(x);
	if (ft_double_high(x) >= 0x408633cfu)
		return x + FT_DOUBLE_INF;
	n = ft_double_exp_parts(x, &quarter);
	quarter = ft_double_shift(quarter, n - 2);
	quarter = fma(ft_double_rcp(quarter), 0.0625, quarter);
	return quarter + quarter;
}

/* For tanh and erf: x = n ln 2 + *rest. Returns 2^n, and (exp(*rest) - 1) / *rest - 1 in *value. */
MUFU_FN double ft_double_exp_short(double x, double *rest, double *value)
{
	float n = rintf((float)x * 0x1.715476p+0f);

	*rest = fma(-(double)n, FT_DOUBLE_LN2, x);
	*value = *rest * FT_DOUBLE_POLY(ft_double_exp_short_terms, *rest);
	return (double)ex2_approx(n);
}

MUFU_FN double ft_double_tanh(double x)
{
	double magnitude = fabs(x), square, rest, value, power, half;

	if (!(magnitude >= 0x1.4f92224dd2f1ap-1)) {
		square = x * x;
		return fma(FT_DOUBLE_POLY(ft_double_tanh_terms, square), x, x);
	}
	if (ft_double_high(magnitude) > 0x40330fc1u)
		return copysign(1.0, x);
	power = ft_double_exp_short(magnitude + magnitude, &rest, &value);
	half = ft_double_rcp(2.0 - fma(-fma(value, rest, rest), power, 1.0 - power));
	return copysign(fma(-half, 2.0, 1.0), x);
}
