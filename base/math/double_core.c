/* double_core.c - what the models of CUDA's double functions share: bits, polynomials, reciprocals.
 *
 * Reciprocals begin with MUFU.RCP64H or RSQ64H (rcp.approx.ftz.f64, rsqrt.approx.ftz.f64), which
 * compute the high 32 bits of a result from the high 32 bits of the operand: they are MUFU.RCP and
 * MUFU.RSQ of the first 20 bits of the fraction, truncated to 20 bits. Part of double_model.c.
 */

MUFU_FN uint64_t ft_double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}

MUFU_FN double ft_double_of_bits(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* CUDA's code decides by the high word, which has the sign, the exponent and 20 bits. */
MUFU_FN uint32_t ft_double_high(double x)
{
	return (uint32_t)(ft_double_bits(x) >> 32);
}

MUFU_FN uint32_t ft_double_high_abs(double x)
{
	return ft_double_high(x) & 0x7fffffffu;
}

MUFU_FN double ft_double_of_high(uint32_t high)
{
	return ft_double_of_bits((uint64_t)high << 32);
}

/* Multiplies by 2^n in the exponent's bits, which may overflow. */
MUFU_FN double ft_double_shift(double x, int32_t n)
{
	return ft_double_of_bits(ft_double_bits(x) + ((uint64_t)(uint32_t)n << 52));
}

#define FT_DOUBLE_INF ((double)INFINITY)
#define FT_DOUBLE_NAN ((double)NAN)

/* terms[0] has the highest power. */
#define FT_DOUBLE_POLY(terms, x) ft_double_poly(terms, (int)(sizeof(terms) / sizeof(terms)[0]), x)
MUFU_FN double ft_double_poly(const double *terms, int count, double x)
{
	double sum = terms[0];

	for (int i = 1; i < count; i++)
		sum = fma(sum, x, terms[i]);
	return sum;
}

/* --- seeds --- */

MUFU_FN double ft_double_rcp_seed(double x)
{
	uint32_t high = ft_double_high(x), sign = high & 0x80000000u, exponent = high >> 20 & 0x7ff;
	uint32_t seed;

	if (x != x)
		return x;
	if (exponent == 0x7ff)
		return ft_double_of_high(sign);
	if (exponent == 0)
		return ft_double_of_high(sign | 0x7ff00000u);
	seed = mufu_u(rcp_approx(mufu_f(MUFU_ONE | (high & 0xfffff) << 3))) >> 3;
	seed += (2046 - 127 - exponent) << 20;
	return ft_double_of_high((int32_t)seed < 0x100000 ? sign : sign | seed);
}

MUFU_FN double ft_double_rsqrt_seed(double x)
{
	uint32_t high = ft_double_high(x), seed;
	int32_t exponent = (int32_t)(high >> 20 & 0x7ff), odd = ~exponent & 1;

	if (x != x)
		return x;
	if (exponent == 0)
		return ft_double_of_high((high & 0x80000000u) | 0x7ff00000u);
	if (high >> 31)
		return FT_DOUBLE_NAN;
	if (exponent == 0x7ff)
		return 0.0;
	seed = mufu_u(rsqrt_approx(mufu_f((uint32_t)(127 + odd) << 23 | (high & 0xfffff) << 3)));
	exponent = 1023 - 127 + (1023 + odd - exponent) / 2;
	return ft_double_of_high((seed >> 3) + ((uint32_t)exponent << 20));
}

/* --- refined seeds --- */

MUFU_FN double ft_double_rcp(double x)
{
	double seed = ft_double_rcp_seed(x), e = fma(-x, seed, 1.0);

	return fma(fma(e, e, e), seed, seed);
}

MUFU_FN double ft_double_fast_rsqrt(double x)
{
	double seed = ft_double_rsqrt_seed(x), e = fma(x, -(seed * seed), 1.0);

	return fma(fma(e, 0.375, 0.5), e * seed, seed);
}

/* The square root of a positive number, as its reciprocal's seed leads to it. */
MUFU_FN double ft_double_fast_sqrt(double x)
{
	double seed = ft_double_rsqrt_seed(x), half = ft_double_shift(seed, -1), root = x * seed;

	root = fma(fma(root, -root, x), half, root);
	return fma(fma(root, -root, x), fma(fma(seed, -root, 1.0), half, half), root);
}

/* rsqrt.approx.f64, that is rsqrt(): subnormals are not flushed. */
MUFU_FN double ft_double_rsqrt(double x)
{
	if (x < 0.0)
		return FT_DOUBLE_NAN;
	if (!(x > 0.0) || x == FT_DOUBLE_INF)
		return ft_double_rsqrt_seed(x);
	return x < 0x1p-1022 ? ft_double_fast_rsqrt(x * 0x1p54) * 0x1p27 : ft_double_fast_rsqrt(x);
}
