/* double_pow.c - pow of doubles. Part of double_model.c.
 *
 * exp(y log x), with log x and y log x as sums of two doubles.
 */

MUFU_TABLE double ft_double_pow_terms[] = {
	0x1.0f5ff7d2cafe2p-20, 0x1.0f5d241ad3b5ap-18, 0x1.3b20a75488a3fp-16, 0x1.745cde4faecd5p-14,
	0x1.c71c7258a578bp-12, 0x1.249249242b91p-9, 0x1.9999999999dfbp-7,
};

/* *rest is what high + low lacks of the result, which is rounded; |high| >= |low|. */
MUFU_FN double ft_double_fast_sum(double high, double low, double *rest)
{
	double sum = high + low;

	*rest = low + (high - sum);
	return sum;
}

/* log(1 + ...) of m = 1 + u in two doubles: s + s^3 (1/12 + ...), where s = 2 u / (2 + u). */
MUFU_FN double ft_double_pow_series(double m, double *rest)
{
	double reciprocal = ft_double_rcp(m + 1.0), u = m - 1.0, s = u * reciprocal, tail, s_rest;
	double square, square_rest, cube, cube_rest, factor, factor_rest, product, sum;

	s += s;
	square = s * s;
	tail = square * FT_DOUBLE_POLY(ft_double_pow_terms, square);
	s_rest = u - s;
	s_rest = reciprocal * fma(-s, u, s_rest + s_rest);

	factor = tail + 0x1.5555555555555p-4;
	factor_rest = tail + (0x1.5555555555555p-4 - factor);
	factor_rest = factor_rest + 0.0 + -0x1.6a4cb00b9e7bp-59;
	factor = ft_double_fast_sum(factor, factor_rest, &factor_rest);

	square_rest = fma(s, ft_double_shift(s_rest, 1), fma(s, s, -square));
	cube = square * s;
	cube_rest = fma(square_rest, s, fma(square, s_rest, fma(square, s, -cube)));
	product = factor * cube;
	tail = fma(factor_rest, cube, fma(factor, cube_rest, fma(factor, cube, -product)));

	product = ft_double_fast_sum(product, tail, &tail);
	sum = ft_double_fast_sum(s, product, &product);
	return ft_double_fast_sum(sum, s_rest + (tail + product), rest);
}

/* log(x) in two doubles, for x > 0; 0, infinity and a NaN give any numbers. */
MUFU_FN double ft_double_pow_log(double x, double *rest)
{
	double m, series, whole;
	int32_t n = 0;

	if (ft_double_high(x) >> 20 == 0) {
		x *= 0x1p54;
		n = -54;
	}
	n += ft_double_log_parts(x, &m);
	series = ft_double_pow_series(m, rest);
	whole = fma((double)n, FT_DOUBLE_LN2, series);
	series = fma(-(double)n, FT_DOUBLE_LN2, whole) - series;
	return ft_double_fast_sum(whole, fma((double)n, FT_DOUBLE_LN2_REST, *rest - series), rest);
}

MUFU_FN double ft_double_pow_positive(double x, double y)
{
	double rest, logarithm = ft_double_pow_log(x, &rest), product, value;
	uint32_t high = ft_double_high(y);

	if (high << 1 > 0xfdffffffu)            /* a huge y: the result is 0 or infinite anyway */
		y = ft_double_of_bits(ft_double_bits(y) & 0xff0fffffffffffffull);
	product = logarithm * y;
	rest = fma(rest, y, fma(logarithm, y, -product));
	product = ft_double_fast_sum(product, rest, &rest);
	value = ft_double_exp(product);
	return fabs(value) == FT_DOUBLE_INF ? value : fma(value, rest, value);
}

MUFU_FN int ft_double_is_odd(double y)
{
	return fabs(y) < 0x1p53 && trunc(y) == y && fabs(fmod(y, 2.0)) == 1.0;
}

MUFU_FN double ft_double_pow(double x, double y)
{
	double magnitude = fabs(x), value;
	int negative = ft_double_high(x) >> 31 && ft_double_is_odd(y);

	if (x == 1.0 || y == 0.0)
		return 1.0;
	if (x != x || y != y)
		return x + y;
	if (fabs(y) == FT_DOUBLE_INF) {
		if (magnitude == 1.0)
			return 1.0;
		return (magnitude > 1.0) == (y > 0.0) ? FT_DOUBLE_INF : 0.0;
	}
	if (magnitude == 0.0 || magnitude == FT_DOUBLE_INF)
		value = (magnitude == 0.0) == (y < 0.0) ? FT_DOUBLE_INF : 0.0;
	else if (x < 0.0 && trunc(y) != y)
		return FT_DOUBLE_NAN;
	else
		value = ft_double_pow_positive(magnitude, y);
	return negative ? -value : value;
}
