/* double_arc.c - asin, acos, atan, atan2 of doubles. Part of double_model.c. */

MUFU_TABLE double ft_double_asin_terms[] = {
	0x1.0066bdc1895e9p-4, -0x1.3823b180754afp-4, 0x1.11e52cc2f79aep-4, -0x1.24eaf3526861bp-6,
	0x1.1df02a31e6cb7p-6, 0x1.47d18b0eec6ccp-7, 0x1.d0af961ba53bp-7, 0x1.1bf7734cf1c48p-6,
	0x1.6e91483144ef7p-6, 0x1.f1c6e0a4f9f81p-6, 0x1.6db6dc27fa92bp-5, 0x1.333333320f91bp-4,
	0x1.5555555555f4dp-3,
};
MUFU_TABLE double ft_double_acos_terms[] = {
	0x1.715b371155f7p-19, -0x1.ac2fe66faac4bp-20, 0x1.9a9b88efcd9b8p-18, 0x1.d0f40a8a0c4c3p-18,
	0x1.46d4cfa9e0e1fp-16, 0x1.79c168d1e2422p-15, 0x1.c9a88c3bca54p-14, 0x1.1c4e64bd476dfp-12,
	0x1.6e8ba60009c8fp-11, 0x1.f1c71c62b05a2p-10, 0x1.6db6db6dc9f2cp-8, 0x1.333333333329cp-6,
	0x1.5555555555555p-4,
};
MUFU_TABLE double ft_double_atan_terms[] = {
	-0x1.53e1d2a25ff7ep-16, 0x1.d3b63dbb65b49p-13, -0x1.312788dde082ep-10,
	0x1.f9690c8249315p-9, -0x1.2cf5aabc7cf0dp-7, 0x1.162b0b2a3bfdep-6, -0x1.a7256feb6fc6bp-6,
	0x1.171560ce4a489p-5, -0x1.4f44d841450e4p-5, 0x1.7ee3d3f36bb95p-5, -0x1.ad32ae04a9fd1p-5,
	0x1.e17813d66954fp-5, -0x1.11089ca9a5bcdp-4, 0x1.3b12b2db51738p-4, -0x1.745d022f8dc5cp-4,
	0x1.c71c709dfe927p-4, -0x1.2492491fa1744p-3, 0x1.99999999840d2p-3, -0x1.555555555544cp-2,
};

#define FT_DOUBLE_PI 0x1.921fb54442d18p+1
#define FT_DOUBLE_PI_2 0x1.921fb54442d18p+0
#define FT_DOUBLE_PI_4 0x1.921fb54442d18p-1
#define FT_DOUBLE_PI_REST 0x1.1a62633145c07p-53
#define FT_DOUBLE_PI_2_REST 0x1.1a62633145c07p-54

/* For |x| up to 1/2 */
MUFU_FN double ft_double_asin_small(double x)
{
	double square = x * x;

	return fma(square * FT_DOUBLE_POLY(ft_double_asin_terms, square), x, x);
}

MUFU_FN double ft_double_asin(double x)
{
	double square, y, z;

	if (ft_double_high_abs(x) < 0x3fe26666u)
		return ft_double_asin_small(x);
	square = fma(fabs(x), -0.5, 0.5);
	y = square;
	if (square < 0.0 || square > 0.0)
		y = ft_double_high(square) >> 31 ? FT_DOUBLE_NAN : ft_double_fast_sqrt(square);
	y *= -2.0;
	square *= FT_DOUBLE_POLY(ft_double_asin_terms, square);
	z = fma(y, square, FT_DOUBLE_PI_2_REST);
	return copysign(y + FT_DOUBLE_PI_4 + z + FT_DOUBLE_PI_4, x);
}

MUFU_FN double ft_double_acos(double x)
{
	double magnitude = fabs(x), below = 1.0 - magnitude, y;

	if (ft_double_high(magnitude) < 0x3fe26666u) {
		y = ft_double_asin_small(magnitude);
		if (ft_double_high(x) >> 31)
			return FT_DOUBLE_PI_2 + (y + FT_DOUBLE_PI_2_REST);
		return FT_DOUBLE_PI_2 + -(y - FT_DOUBLE_PI_2_REST);
	}
	if (magnitude != magnitude || below < 0.0)
		return FT_DOUBLE_NAN;
	y = 0.0;
	if ((int32_t)ft_double_high(below) > 0) {
		y = ft_double_shift(ft_double_fast_sqrt(ft_double_shift(below, -1)), 1);
		y = fma(below * FT_DOUBLE_POLY(ft_double_acos_terms, below), y, y);
	}
	return ft_double_high(x) >> 31 ? FT_DOUBLE_PI + -(y - FT_DOUBLE_PI_REST) : y;
}

/* For |x| up to 1 */
MUFU_FN double ft_double_atan_small(double x)
{
	double square = x * x;

	return fma(square * FT_DOUBLE_POLY(ft_double_atan_terms, square), x, x);
}

MUFU_FN double ft_double_atan(double x)
{
	double magnitude = fabs(x), y;

	if (!(magnitude > 1.0))
		return copysign(ft_double_atan_small(magnitude), x);
	y = ft_double_atan_small(magnitude == FT_DOUBLE_INF ? 0.0 : ft_double_rcp(magnitude));
	return copysign(FT_DOUBLE_PI_2 - y, x);
}

MUFU_FN double ft_double_atan2_magnitude(double y, double x, int left)
{
	double angle;

	if (y == 0.0 && x == 0.0)
		return left ? FT_DOUBLE_PI : 0.0;
	if (x == y)
		return left ? 0x1.2d97c7f3321d2p+1 : FT_DOUBLE_PI_4;
	if (y > x) {
		angle = ft_double_atan_small(x / y);
		return (left ? angle : -angle) + FT_DOUBLE_PI_2;
	}
	angle = ft_double_atan_small(y / x);
	return left ? FT_DOUBLE_PI - angle : angle;
}

MUFU_FN double ft_double_atan2(double y, double x)
{
	int left = (int)(ft_double_high(x) >> 31);

	if (x != x || y != y)
		return x + y;
	return copysign(ft_double_atan2_magnitude(fabs(y), fabs(x), left), y);
}
