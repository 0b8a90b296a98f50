/* double_erf.c - erf, erfc of doubles. Part of double_model.c. */

MUFU_TABLE double ft_double_erf_terms[] = {
	-0x1.0679afba6f279p-48, 0x1.7088fdb46fa5fp-43, -0x1.df9f9b976a9b2p-39,
	0x1.7f1f5590cc332p-35, -0x1.a28a3cd2d56c4p-32, 0x1.485ee67835925p-29,
	-0x1.76db45919f583p-27, 0x1.2d698d98c8d71p-25, -0x1.20a2c7155d5c6p-24,
	-0x1.1d29b37ca1397p-27, 0x1.2ef6cc0f67a49p-21, -0x1.102b892333b6fp-19,
	0x1.a30375ba9a84ep-19, 0x1.aad18dedea43ep-19, -0x1.f05355bc5b225p-16,
	0x1.0e37a3108bc8bp-14, 0x1.b292d828e5cb2p-16, -0x1.356626ebf9bfap-11,
	0x1.bca68f73d6afcp-10, -0x1.b6b69ebbc280bp-13, -0x1.396685912a453p-6, 0x1.a4f4e2a1abef8p-4,
	0x1.45f306dc9c8bbp-1, 0x1.06eba8214db69p-3,
};
MUFU_TABLE double ft_double_erfc_terms[] = {
	-0x1.8774ad4e0bfd7p-32, -0x1.4e1c6fd03d328p-27, -0x1.330149f7a56b6p-27,
	0x1.bedded8376273p-24, 0x1.f9254c3abf22bp-25, -0x1.b9068c2148cfp-21, 0x1.4c6454db34009p-22,
	0x1.7f1c378f2311dp-18, -0x1.78e051c6d5c58p-17, -0x1.995b4ead14a9p-16,
	0x1.3be27cf0a29b2p-13, -0x1.a1def3e81672ep-13, -0x1.8d4abe68c1713p-11,
	0x1.49c67210dd6b4p-8, -0x1.096238568e357p-6, 0x1.3079edf8c2dc9p-5, -0x1.0fb06dff601fcp-4,
	0x1.7fee004dfbcdcp-4, -0x1.9ddb23c3db8c6p-4, 0x1.16ecefcfa5fdap-4, 0x1.f7f5df66fb6d6p-7,
	-0x1.1df1ad154a29dp-3, 0x1.3ba5916e9fd7fp+0,
};

/* 1 - exp(-|x| (1 + p(|x|))) */
MUFU_FN double ft_double_erf(double x)
{
	double magnitude = fabs(x), factor = FT_DOUBLE_POLY(ft_double_erf_terms, magnitude);
	double product = fma(factor, magnitude, magnitude), lost, rest, value, power;

	if (magnitude >= 0x1.7afb48dc96626p+2)
		return copysign(1.0, x);
	lost = fma(factor, magnitude, magnitude - product);
	power = ft_double_exp_short(-product, &rest, &value);
	return copysign(fma(-(rest + fma(value, rest, -lost)), power, 1.0 - power), x);
}

/* exp(x^2) erfc(x) for x from 0 on: a polynomial of (x - 4) / (x + 4), divided by 1 + 2 x. */
MUFU_FN double ft_double_erfc_scaled(double x)
{
	double reciprocal = ft_double_rcp(x + 4.0), z = (x - 4.0) * reciprocal, value, quotient;

	z = fma(reciprocal, fma(-z, x, fma(-4.0, z + 1.0, x)), z);
	value = FT_DOUBLE_POLY(ft_double_erfc_terms, z);
	reciprocal = ft_double_rcp(fma(x, 2.0, 1.0));
	quotient = value * reciprocal;
	return fma(fma(x, quotient * -2.0, value) + -quotient, reciprocal, quotient);
}

MUFU_FN double ft_double_erfc(double x)
{
	double magnitude = fabs(x), square = magnitude * magnitude, value, y = 0.0;
	int32_t n;

	if (x != x)
		return x;
	if (ft_double_high(magnitude) <= 0x403b4000u) {
		n = ft_double_exp_parts(-square, &value);
		value = ft_double_scale(value, n);
		value = fma(value, fma(-magnitude, magnitude, square), value);
		y = ft_double_erfc_scaled(magnitude) * value;
	}
	return ft_double_high(x) >> 31 ? 2.0 - y : y;
}
