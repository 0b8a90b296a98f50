/* double_log.c - log, log2, log10, log1p, asinh, acosh, atanh of doubles. Part of double_model.c.
 *
 * With x = 2^n m and m from sqrt(1/2) to sqrt(2), log(m) is a series in s = 2 (m - 1) / (m + 1).
 * What s and n ln 2 lack to be exact is added at the end.
 */

MUFU_TABLE double ft_double_log_terms[] = {
	0x1.1380b3ae80f1ep-20, 0x1.0ee258b7a8b04p-18, 0x1.3b2669f02676fp-16, 0x1.745cba9ab0956p-14,
	0x1.c71c72d1b5154p-12, 0x1.24924923be72dp-9, 0x1.999999999a3c4p-7, 0x1.5555555555554p-4,
};
MUFU_TABLE double ft_double_log1p_terms[] = {
	0x1.372fb2fbe14b5p-20, 0x1.087ffceb2dc44p-18, 0x1.3b9ff890f468cp-16, 0x1.7457efd51baf8p-14,
	0x1.c71c8de3ce825p-12, 0x1.249248fa4661fp-9, 0x1.99999999d70c4p-7, 0x1.5555555555462p-4,
};

/* x = *m * 2^result for normal x. */
MUFU_FN int32_t ft_double_log_parts(double x, double *m)
{
	uint32_t high = ft_double_high(x);
	int32_t n = (int32_t)(high >> 20) - 1023;

	*m = ft_double_shift(x, -n);
	if ((high & 0xfffff) >= 0x6a09f) {
		*m = ft_double_shift(*m, -1);
		n++;
	}
	return n;
}

MUFU_FN double ft_double_log(double x)
{
	double m, reciprocal, s, square, rest, whole, scaled;
	int32_t n = 0;

	if ((int32_t)ft_double_high(x) <= 0xfffff) {
		x *= 0x1p54;
		n = -54;
	}
	if (ft_double_high(x) - 1 >= 0x7fefffffu)
		return x == 0.0 ? -FT_DOUBLE_INF : fma(x, FT_DOUBLE_INF, FT_DOUBLE_INF);
	n += ft_double_log_parts(x, &m);
	reciprocal = ft_double_rcp(m + 1.0);
	s = (m - 1.0) * reciprocal;
	s += s;
	square = s * s;
	rest = m - 1.0 - s;
	rest = reciprocal * fma(-s, m - 1.0, rest + rest);
	rest = fma(square * FT_DOUBLE_POLY(ft_double_log_terms, square), s, rest);
	scaled = (double)n;
	whole = fma(scaled, FT_DOUBLE_LN2, s);
	rest -= fma(-scaled, FT_DOUBLE_LN2, whole) - s;
	return whole + fma(scaled, FT_DOUBLE_LN2_REST, rest);
}

MUFU_FN double ft_double_log2(double x)
{
	double y = ft_double_log(x);

	return fma(y, FT_DOUBLE_LOG2_E, y * 0x1.777d0ffda0d24p-56);
}

MUFU_FN double ft_double_log10(double x)
{
	double y = ft_double_log(x);

	return fma(y, 0x1.bcb7b1526e50ep-2, y * 0x1.95355baaafad3p-57);
}

MUFU_FN double ft_double_log1p(double x)
{
	double quotient, s, square;

	if (ft_double_high_abs(x) >= (ft_double_high(x) >> 31 ? 0x3fd99999u : 0x3fe55555u))
		return ft_double_log(x + 1.0);
	quotient = x * (x / (x + 2.0));
	s = x - quotient;
	square = s * s;
	return x + fma(square * FT_DOUBLE_POLY(ft_double_log1p_terms, square), s, -quotient);
}

MUFU_FN double ft_double_asinh(double x)
{
	double magnitude = fabs(x), square = fma(x, x, 1.0);

	if (ft_double_high(magnitude) > 0x43dfffffu)
		return copysign(ft_double_log1p(magnitude) + FT_DOUBLE_LN2, x);
	square = ft_double_rcp(fma(square, ft_double_fast_rsqrt(square), 1.0));
	return copysign(ft_double_log1p(fma(magnitude, magnitude * square, magnitude)), x);
}

MUFU_FN double ft_double_acosh(double x)
{
	double above = x - 1.0, square = fma(x, x, -1.0);

	if (ft_double_high(above) > 0x432fffffu)
		return ft_double_log1p(above - 0x1.0000000000001p+0) + FT_DOUBLE_LN2;
	if (ft_double_high(above) != 0)
		above += ft_double_fast_sqrt(square);
	return ft_double_log1p(above);
}

MUFU_FN double ft_double_atanh(double x)
{
	double magnitude = fabs(x);

	return copysign(ft_double_log1p((magnitude + magnitude) / (1.0 - magnitude)) * 0.5, x);
}
