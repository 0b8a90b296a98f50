/* double_trig.c - sin, cos, tan, sinpi, cospi of doubles. Part of double_model.c.
 *
 * x = q pi/2 + r, in three fused multiply-adds below 2^31, else by multiplying with the bits of
 * 2/pi that matter (Payne and Hanek) in integers. Then polynomials of r, by the quadrant q.
 */

/* In the unit 2^-1152, low words first. */
MUFU_TABLE uint64_t ft_double_two_over_pi[] = {
	0x6bfb5fb11f8d5d08ull, 0x3d0739f78a5292eaull, 0x7527bac7ebe5f17bull, 0x4f463f669e5fea2dull,
	0x6d367ecf27cb09b7ull, 0xef2f118b5a0a6d1full, 0x1ff897ffde05980full, 0x9c845f8bbdf9283bull,
	0x3991d639835339f4ull, 0xe99c7026b45f7e41ull, 0xe88235f52ebb4484ull, 0xfe1deb1cb129a73eull,
	0x06492eea09d1921cull, 0xb7246e3a424dd2e0ull, 0xfe5163abdebbc561ull, 0xdb6295993c439041ull,
	0xfc2757d1f534ddc0ull, 0xa2f9836e4e441529ull,
};
MUFU_TABLE double ft_double_sin_terms[] = {
	0x1.5db65f9785ebap-33, -0x1.ae5f12cb0d246p-26, 0x1.71de369ace392p-19,
	-0x1.a01a019db62a1p-13, 0x1.1111111110818p-7, -0x1.5555555555554p-3, 0.0,
};
MUFU_TABLE double ft_double_cos_terms[] = {
	-0x1.8ff8320fd8164p-37, 0x1.1eea7c1ef8528p-29, -0x1.27e4f8e06e6d9p-22,
	0x1.a01a019ddbce9p-16, -0x1.6c16c16c15d47p-10, 0x1.5555555555551p-5, -0.5, 1.0,
};
MUFU_TABLE double ft_double_tan_terms[] = {
	0x1.48dac2799bcb9p-17, -0x1.9757c5b27ebb1p-16, 0x1.980e90fd91e04p-15,
	-0x1.ae2b0417d7e1dp-16, 0x1.19f5341bfba57p-14, 0x1.5e791a00f6919p-14,
	0x1.ff2e7fadec73ap-13, 0x1.34bc1b206da62p-11, 0x1.7db18ef2f83f9p-10, 0x1.d6d2e7ae49fbcp-9,
	0x1.226e3a816a776p-7, 0x1.664f485d2566p-6, 0x1.ba1ba1babf31dp-5, 0x1.11111111105d2p-3,
	0x1.555555555555ep-2,
};

MUFU_FN uint64_t ft_double_multiply_high(uint64_t a, uint64_t b, uint64_t *low)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	*low = (uint64_t)product;
	return (uint64_t)(product >> 64);
}

/* Writes five words of 2/pi times the fraction of x, as an integer, from the word on that matters
 * for the exponent of x. Low words first. */
MUFU_FN void ft_double_multiply_two_over_pi(double x, uint64_t *product)
{
	uint64_t fraction = ft_double_bits(x) << 11 | 1ull << 63, low, carry = 0;
	int first = 15 - (int)(((ft_double_high(x) >> 20 & 0x7ff) - 1024) >> 6), count = 0;

	for (int word = first; word < first + 4 && word < 18; word++) {
		uint64_t high = ft_double_multiply_high(ft_double_two_over_pi[word], fraction,
							&low);

		product[count] = low + carry;
		carry = high + (product[count++] < carry);
	}
	product[count] = carry;
}

/* For finite |x| of at least 2^31. */
MUFU_FN double ft_double_reduce_large(double x, int32_t *quadrant)
{
	uint64_t product[5], high, low, half;
	uint32_t sign = ft_double_high(x) & 0x80000000u, shift, zeros;

	ft_double_multiply_two_over_pi(x, product);
	high = product[3];
	low = product[2];
	shift = ((ft_double_high(x) >> 20 & 0x7ff) - 1024) & 63;
	if (shift > 0) {
		high = high << shift | low >> (64 - shift);
		low = low << shift | product[1] >> (64 - shift);
	}
	half = high >> 61 & 1;          /* of a quadrant: the rest is then negative */
	*quadrant = (int32_t)(half + (high >> 62));
	if (sign)
		*quadrant = -*quadrant;
	high = high << 2 | low >> 62;
	low <<= 2;
	if (half) {
		high = ~high + (low == 0);
		low = 0 - low;
		sign ^= 0x80000000u;
	}
	/* No double is so close to a multiple of pi/2 that the high word is 0. */
	zeros = high == 0 ? 63 : (uint32_t)__builtin_clzll(high);
	if (zeros > 0)
		high = high << zeros | low >> (64 - zeros);
	high = ft_double_multiply_high(high, 0xc90fdaa22168c235ull, &low);         /* pi/2 */
	if ((int64_t)high > 0) {
		high = high << 1 | low >> 63;
		zeros++;
	}
	high = 0x3fe0000000000000ull - ((uint64_t)zeros << 52) + ((((high + 1) >> 10) + 1) >> 1);
	return ft_double_of_bits(high | (uint64_t)sign << 32);
}

/* Saturating, and any value for a NaN, whose quadrant does not matter. */
MUFU_FN int32_t ft_double_nearest_int(double x)
{
	x = rint(x);
	return x >= 0x1p31 ? INT32_MAX : x > -0x1p31 ? (int32_t)x : INT32_MIN;
}

MUFU_FN double ft_double_reduce(double x, int32_t *quadrant)
{
	double n;

	*quadrant = 0;
	if (fabs(x) == FT_DOUBLE_INF)
		return x * 0.0;
	if (fabs(x) >= 0x1p31)
		return ft_double_reduce_large(x, quadrant);
	*quadrant = ft_double_nearest_int(x * 0x1.45f306dc9c883p-1);
	n = -(double)*quadrant;
	x = fma(n, 0x1.921fb54442d18p+0, x);
	x = fma(n, 0x1.1a62633145cp-54, x);
	return fma(n, 0x1.b839a252049cp-104, x);
}

/* sin(r + quadrant * pi/2) */
MUFU_FN double ft_double_sin_of(double r, int32_t quadrant)
{
	double square = r * r, value;

	if (quadrant & 1)
		value = FT_DOUBLE_POLY(ft_double_cos_terms, square);
	else
		value = fma(FT_DOUBLE_POLY(ft_double_sin_terms, square), r, r);
	return quadrant & 2 ? fma(value, -1.0, 0.0) : value;
}

MUFU_FN double ft_double_sin(double x)
{
	int32_t quadrant;
	double r = ft_double_reduce(x, &quadrant);

	return ft_double_sin_of(r, quadrant);
}

MUFU_FN double ft_double_cos(double x)
{
	int32_t quadrant;
	double r = ft_double_reduce(x, &quadrant);

	return ft_double_sin_of(r, quadrant + 1);
}

MUFU_FN double ft_double_tan(double x)
{
	int32_t quadrant;
	double r = ft_double_reduce(x, &quadrant), square = r * r, value, tangent, negative;

	value = square * FT_DOUBLE_POLY(ft_double_tan_terms, square);
	tangent = fma(value, r, r);
	if (!(quadrant & 1))
		return tangent;
	negative = -ft_double_rcp(tangent);
	r = fma(value, r, -(tangent - r));
	return fma(fma(negative, r, fma(tangent, negative, 1.0)), negative, negative);
}

/* For finite |x| below 2^53: the quadrant of pi x, and the rest in radians. */
MUFU_FN double ft_double_reduce_pi(double x, int32_t *quadrant)
{
	double n = rint(ft_double_shift(x, 1)), rest = fma(-n, 0.5, x);

	*quadrant = (int32_t)(uint32_t)(int64_t)n;
	return fma(rest, 0x1.921fb54442d18p+1, rest * 0x1.1a62633145c07p-53);
}

MUFU_FN double ft_double_sinpi(double x)
{
	int32_t quadrant;
	double r;

	if (trunc(x) == x || x != x)
		return x * 0.0;
	r = ft_double_reduce_pi(x, &quadrant);
	return ft_double_sin_of(r, quadrant);
}

MUFU_FN double ft_double_cospi(double x)
{
	int32_t quadrant;
	double r;

	if (ft_double_high_abs(x) >= 0x43400000u)
		x *= 0.0;
	if (x != x)
		return x;
	r = ft_double_reduce_pi(x, &quadrant);
	return ft_double_sin_of(r, quadrant + 1);
}
