/* double_normal.c - erfcx, normcdf and inverses of erf, erfc, normcdf. Part of double_model.c. */

MUFU_TABLE double ft_double_erfcx_terms[] = {
	-0x1.d88p+4, 6.5625, -1.875, 0.75, -0.5, 1.0,
};
MUFU_TABLE double ft_double_short_log_terms[] = {
	0x1.5c5c218c775c9p-4, 0x1.55cf59cdc5d89p-5, 0x1.efd18cf6ebb9cp-5, 0x1.10682edcb8d1bp-4,
	0x1.3b1dd3ac7fc96p-4, 0x1.745cb459b54a6p-4, 0x1.c71c741a0669fp-4, 0x1.249249209112ep-3,
	0x1.99999999a06c1p-3, 0x1.5555555555535p-2,
};
MUFU_TABLE double ft_double_erfinv_terms[] = {
	-0x1.135d2e746e627p-68, -0x1.8ddf93324d327p-63, 0x1.7b83eef0b7c9fp-60,
	0x1.9ba72cd589b91p-57, -0x1.33689090a6b96p-53, 0x1.82e11898132ep-56, 0x1.de4acfd9e26bap-48,
	-0x1.6d33eed66c487p-45, -0x1.6f2167040d8e2p-44, 0x1.72a22c2d77e2p-39,
	-0x1.c8859c4e5c0afp-37, -0x1.dc583d118a561p-35, 0x1.20f47ccf46b3cp-30,
	-0x1.1a9e38dc84d6p-28, -0x1.f36cd6d3d46a9p-26, 0x1.c6b4f5d03b787p-22,
	-0x1.6e8a5434ae8a2p-20, -0x1.d1d1f7b8736f6p-17, 0x1.879c2a212f024p-13,
	-0x1.845769484fca8p-11, -0x1.8b6c33114f909p-8, 0x1.ebd80d9b13e28p-3, 0x1.a755e7c99ae86p+0,
};
MUFU_TABLE double ft_double_erfinv_far_terms[] = {
	0x1.3040f87dbd932p-29, 0x1.85cbe52878635p-24, -0x1.2777453dd3955p-22,
	0x1.395abcd554c6cp-26, 0x1.936388a3790adp-20, -0x1.0d5db812b5083p-18,
	0x1.8860cd5d652f6p-19, 0x1.a29a0cacdfb23p-17, -0x1.8cef1f80281f2p-15,
	0x1.1e684d0b9188ap-14, 0x1.932cd54c8a222p-16, -0x1.7448a89ef8aa3p-12,
	0x1.f3cc55ad40c25p-11, -0x1.ba924132f38b1p-10, 0x1.468eeca533cf8p-9, -0x1.ebadabb891bbdp-9,
	0x1.5ffcfe5b76afcp-8, 0x1.0158a6d641d39p+0, 0x1.8abcc380d5a48p+1,
};
MUFU_TABLE double ft_double_erfinv_farther_terms[] = {
	-0x1.dcec3a7785389p-36, -0x1.18feec0e38727p-32, 0x1.9e6bf2dda45e3p-30,
	-0x1.0468fb24e2f5fp-28, 0x1.05ac6a8fba182p-27, -0x1.0102e495fb9cp-26,
	0x1.f4c20e1334af8p-26, -0x1.22d220fdf9c3ep-24, 0x1.ebc8bb824cb54p-23,
	-0x1.0a8d40ea372ccp-20, 0x1.2fbd29d093d2bp-18, -0x1.4a3497e1e0facp-16,
	0x1.3ebf4eb00938fp-14, -0x1.c2f36a8fc5d53p-13, -0x1.22ea5df04047cp-13,
	0x1.02a30d1fba0dcp+0, 0x1.3664ddd1ad7fbp+2,
};
MUFU_TABLE double ft_double_erfcinv_terms[] = {
	0x1.be9222591afabp-1, 0x1.0a0e7333839aap+1, 0x1.8768cf7e57d5cp+1, 0x1.b77e7e28da583p+1,
	0x1.34f26a4f99cf9p+0, 0x1.1f674adb019edp-3, 0x1.5ddae9506431dp-8, 0x1.ada49aa32489cp-15,
};
MUFU_TABLE double ft_double_erfcinv_tiny_terms[] = {
	0x1.8e2101c71b0bfp-1, 0x1.a2013964e259cp+0, 0x1.abfe90921be68p-2, 0x1.7e41314de00d4p-6,
	0x1.11bd487102e94p-12,
};
MUFU_TABLE double ft_double_erfcinv_divisor[] = {
	1.0, 0x1.1e90ff51c2197p+1, 0x1.11ea3a7cf382p+2, 0x1.1a0e4a4749594p+2,
	0x1.d4e977d38c14dp+1, 0x1.37fd567ec0d5fp+0, 0x1.1fb9d7f676033p-3, 0x1.5ddcdf98946e4p-8,
	0x1.ada42d79d8dbbp-15,
};
MUFU_TABLE double ft_double_erfcinv_tiny_divisor[] = {
	1.0, 0x1.59895c30baa54p+0, 0x1.ae8e5956a143fp+0, 0x1.acce85ff7383dp-2,
	0x1.7e43b6cac34fep-6, 0x1.11bd08289eb12p-12,
};

MUFU_FN double ft_double_erfcx(double x)
{
	double magnitude = fabs(x), square = x * x, y, power;

	if (ft_double_high(magnitude) < 0x40400000u) {
		y = ft_double_erfc_scaled(magnitude);
	} else {
		y = 1.0 / x;
		y = y * 0x1.20dd750429b6dp-1 * FT_DOUBLE_POLY(ft_double_erfcx_terms, y * y);
	}
	if (!(ft_double_high(x) >> 31))
		return y;
	power = ft_double_exp(square);
	power += power;
	return power == FT_DOUBLE_INF ? power : fma(power, fma(x, x, -square), power) - y;
}

MUFU_FN double ft_double_normcdf(double x)
{
	double product, rest, argument, y;

	if (fabs(x) > 38.5)
		x = copysign(38.5, x);
	product = x * -0x1.6a09e667f3bcdp-1;
	rest = fma(x, 0x1.bdd3413b26456p-55, fma(x, -0x1.6a09e667f3bcdp-1, -product));
	argument = product + rest;
	y = ft_double_erfc(argument);
	if (ft_double_high(x) > 0xbff00000u)
		y = fma(argument * -2.0 * y, product - argument + rest, y);
	return y * 0.5;
}

/* log(x) of a normal number, to fewer bits than log(): the exponent is split off in twos. */
MUFU_FN double ft_double_short_log(double x)
{
	uint64_t bits = ft_double_bits(x);
	int32_t n = (int32_t)(bits >> 52 & 2046) - 1022;
	double m, u, reciprocal, s, square;

	m = ft_double_of_bits((bits & ~(2046ull << 52)) | 1022ull << 52);
	u = m - 1.0;
	reciprocal = ft_double_rcp(m + 1.0);
	s = u * reciprocal;
	s = fma(fma(-s, u, fma(-2.0, s, u)), reciprocal, s);
	square = s * s;
	s = fma(square * FT_DOUBLE_POLY(ft_double_short_log_terms, square), s, s);
	return fma((double)n, FT_DOUBLE_LN2, s + s);
}

MUFU_FN double ft_double_erfinv(double x)
{
	double logarithm, root;

	if (ft_double_high_abs(x) >= 0x3ff00000u)
		return fabs(x) == 1.0 ? x * FT_DOUBLE_INF : FT_DOUBLE_NAN;
	logarithm = ft_double_short_log(fma(x, -x, 1.0));
	if (ft_double_high(logarithm) < 0xc0190000u)
		return x * FT_DOUBLE_POLY(ft_double_erfinv_terms, -3.125 - logarithm);
	root = sqrt(-logarithm);
	if (ft_double_high(root) < 0x40100000u)
		return x * FT_DOUBLE_POLY(ft_double_erfinv_far_terms, root - 3.25);
	return x * FT_DOUBLE_POLY(ft_double_erfinv_farther_terms, root - 5.0);
}

/* Near 0 */
MUFU_FN double ft_double_erfcinv_small(double x)
{
	uint32_t high = ft_double_high(x);
	double root;

	if (high < 0x2b2bff2fu || high > 0x7f800000u) {
		root = ft_double_rsqrt(-ft_double_log(x));
		return FT_DOUBLE_POLY(ft_double_erfcinv_tiny_terms, root)
			/ (root * FT_DOUBLE_POLY(ft_double_erfcinv_tiny_divisor, root));
	}
	root = ft_double_fast_rsqrt(-ft_double_short_log(x));
	return FT_DOUBLE_POLY(ft_double_erfcinv_terms, root)
		/ (root * FT_DOUBLE_POLY(ft_double_erfcinv_divisor, root));
}

MUFU_FN double ft_double_erfcinv(double x)
{
	double mirrored = 2.0 + -x, factor;

	if (x >= 0x1.fa4d2ad8f904dp-11 && x <= 0x1.ffc0b65aa4e0ep+0) {
		factor = FT_DOUBLE_POLY(ft_double_erfinv_terms,
					-3.125 - ft_double_short_log(mirrored * x));
		return fma(factor, -x, factor);
	}
	if ((int32_t)ft_double_high(x) > 0x3fefffff)
		return -ft_double_erfcinv_small(mirrored);
	return ft_double_erfcinv_small(x);
}

MUFU_FN double ft_double_normcdfinv(double x)
{
	double y = ft_double_erfcinv(x + x);

	return fma(-0x1.6a09e667f3bccp+0, y, y * -0x1.21165f626cdd5p-53) + 0.0;
}
