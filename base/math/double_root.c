/* double_root.c - cbrt, rcbrt, hypot, rhypot of doubles. Part of double_model.c.
 *
 * rsqrt is in double_core.c; sqrt is correctly rounded, as in C.
 */

/* |x| * 2^(-3 * result) in *scaled. It has EX2 of a third of its LG2 as a first guess. */
MUFU_FN int32_t ft_double_cbrt_scale(double x, double *scaled)
{
	int32_t small = 0, third;

	x = fabs(x);
	if (ft_double_high(x) >> 20 == 0) {
		x *= 0x1p54;
		small = 18;
	}
	third = (int32_t)rintf((float)((int32_t)(ft_double_high(x) >> 20) - 1022) * 0x1.555556p-2f);
	*scaled = ft_double_shift(x, -3 * third);
	return third - small;
}

MUFU_FN double ft_double_cbrt(double x)
{
	double scaled, guess, square, slope;
	int32_t third = ft_double_cbrt_scale(x, &scaled);

	if (x != x || x + x == x)
		return x + x;
	guess = (double)ex2_approx(lg2_approx((float)scaled) * 0x1.555556p-2f);
	square = guess * guess;
	slope = ft_double_rcp(fma(ft_double_shift(square, 1), guess, scaled));
	guess = fma(guess, slope * fma(square, -guess, scaled), guess);
	return copysign(ft_double_shift(guess, third), x);
}

MUFU_FN double ft_double_rcbrt(double x)
{
	double scaled, guess, square, product, error;
	int32_t third = ft_double_cbrt_scale(x, &scaled);

	if (x != x)
		return x;
	if (x + x == x)
		return copysign(x == 0.0 ? FT_DOUBLE_INF : 0.0, x);
	guess = (double)ex2_approx(lg2_approx((float)scaled) * -0x1.555556p-2f);
	square = guess * guess;
	product = scaled * guess;
	error = fma(square, -product, 1.0);
	error = fma(square, -fma(scaled, guess, -product), error);
	error = fma(product, -fma(guess, guess, -square), error);
	guess = fma(fma(error, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), error * guess, guess);
	return copysign(ft_double_shift(guess, -third), x);
}

/* The squares of x and y times scale^2, which is about the reciprocal of the larger one, added. */
MUFU_FN double ft_double_squares(double *x, double *y, double *scale)
{
	uint64_t a = ft_double_bits(fabs(*x)), b = ft_double_bits(fabs(*y));
	double small, large;

	*x = ft_double_of_bits(a < b ? a : b);
	*y = ft_double_of_bits(a < b ? b : a);
	*scale = ft_double_of_high(0x7fd00000u - (ft_double_high(*y) & 0xffc00000u));
	small = *scale * *x;
	large = *scale * *y;
	return fma(large, large, small * small);
}

MUFU_FN double ft_double_hypot(double x, double y)
{
	double scale, sum = ft_double_squares(&x, &y, &scale), limited;

	if (ft_double_high(x) >= 0x7ff00000u)      /* x is the smaller one */
		return x;
	if (x == 0.0)
		return y;
	limited = sum < 0x1.fffffffffffffp+1023 ? sum : 0x1.fffffffffffffp+1023;
	return sum * ft_double_fast_rsqrt(limited)
		* ft_double_of_high((ft_double_high(y) & 0xffc00000u) | 0x100000u);
}

MUFU_FN double ft_double_rhypot(double x, double y)
{
	double scale, sum = ft_double_squares(&x, &y, &scale);
	double result = scale * ft_double_fast_rsqrt(sum);

	if (ft_double_high(result) < 0x7ff00000u)
		return result;
	if (x == FT_DOUBLE_INF)
		return 0.0;
	if (y != y)
		return y + x;
	return y == FT_DOUBLE_INF ? 0.0 : FT_DOUBLE_INF;
}
