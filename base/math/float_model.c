/* float_model.c - bit-exact models of CUDA's float functions that few kernels use.
 *
 * Hyperbolic, trigonometric and their inverses, roots, norms, error functions: each has the
 * operations of the PTX that nvcc 13.0 emits for the function, by the models of mufu_model.c, to
 * which it belongs. Polynomials have their coefficients as float bits. kernels/math_sums.h has a
 * GPU's results.
 */

MUFU_FN float float_pick(int first, float a, float b) { return first ? a : b; }
/* min.f32 and max.f32 of numbers without a sign: a NaN gives the other one */
MUFU_FN float float_min(float a, float b) { return a < b || b != b ? a : b; }
MUFU_FN float float_max(float a, float b) { return a > b || b != b ? a : b; }

/* --- hyperbolic functions --- */

/* e^x, times a power of two that `bias` has: 0x4b40007f stands for 1. */
MUFU_FN float float_exp(float x, uint32_t bias)
{
	const float log2e = mufu_f(0x3fb8aa3bu);
	float n = truncf(x * log2e), r;

	if (mufu_abs(n) > 126.0f)
		n = copysignf(126.0f, n);
	r = fmaf(n, mufu_f(0xbf317218u), x);
	r = fmaf(n, mufu_f(0x3102e308u), r);
	return ex2_approx(r * log2e) * mufu_f(mufu_u(n + mufu_f(bias)) << 23);
}

MUFU_FN float cuda_sinhf(float x)
{
	const uint32_t c[4] = { 0x363d0adau, 0x394fff49u, 0x3c08889au, 0x3e2aaaabu };
	float a = mufu_abs(x), e = float_exp(a, 0x4b40007du), z = x * x;

	if (a >= 1.0f)
		return mufu_canon(copysignf(fmaf(2.0f, e, div_approx(-0.125f, e)), x));
	return mufu_canon(fmaf(z * mufu_poly(z, c, 4), x, x));
}

MUFU_FN float cuda_coshf(float x)
{
	float e = float_exp(mufu_abs(x), 0x4b40007du);

	return mufu_canon(fmaf(2.0f, e, div_approx(0.125f, e)));
}

MUFU_FN float cuda_asinhf(float x)
{
	float a = mufu_abs(x), t = fmaf(x, x, 1.0f);
	float d = rcp_approx(fmaf(t, rsqrt_approx(t), 1.0f));
	int large = a > 0x1p23f;
	float r = cuda_log1pf(large ? a : fmaf(a, a * d, a));

	if (large)
		r += mufu_f(0x3f317218u);
	return mufu_canon(a <= mufu_f(MUFU_INF) ? copysignf(r, x) : r);
}

MUFU_FN float cuda_acoshf(float x)
{
	float below = x - 1.0f, t = fmaf(x, x, -1.0f), r = rsqrt_approx(t), s = t * r;
	int large = mufu_u(below) > 0x4b000000u;

	s = t == 0.0f ? 0.0f : fmaf(fmaf(-s, s, t), r * 0.5f, s);
	r = cuda_log1pf(below + float_pick(large, mufu_f(0xbf800001u), s));
	return mufu_canon(large ? r + mufu_f(0x3f317218u) : r);
}

MUFU_FN float cuda_atanhf(float x)
{
	float a = mufu_abs(x), r = rcp_approx(1.0f - a);

	r = a > mufu_f(0x7e800000u) ? -2.0f : a * (r + r);
	return mufu_canon(copysignf(0.5f, x) * cuda_log1pf(r));
}

/* --- trigonometric functions --- */

MUFU_FN float cuda_tanf(float x)
{
	const uint32_t c[6] = { 0x3c190000u, 0x3b560000u, 0x3cc70000u, 0x3d5b0000u, 0x3e089438u,
				0x3eaaaa88u };
	float r, z, t;
	uint32_t q;

	if (!(mufu_abs(x) < mufu_f(MUFU_INF)))
		return mufu_f(MUFU_NAN);
	r = mufu_quarter(x, &q);
	z = r * r;
	t = fmaf(mufu_poly(z, c, 6), z * r, r);
	if (mufu_abs(r) == mufu_f(0x3a00b43cu))
		t = r;
	return q & 1u ? rcp_approx(-t) : t;
}

/* sin(pi x), or cos(pi x) with a quarter more */
MUFU_FN float float_pi(float x, uint32_t quarter)
{
	const uint32_t sines[3] = { 0xbf17acc9u, 0x40233590u, 0xc0a55df6u };
	const uint32_t cosines[5] = { 0x3e684e12u, 0xbfaad2e0u, 0x4081e0cfu, 0xc09de9e6u,
				      0x3f800000u };
	float n = rintf(x + x), r = fmaf(-n, 0.5f, x), z = r * r, v;
	uint32_t q = (uint32_t)mufu_int(n) + quarter;

	if (q & 1u)
		v = mufu_poly(z, cosines, 5);
	else
		v = fmaf(mufu_f(0x40490fdbu), r, fmaf(mufu_poly(z, sines, 3), fmaf(z, r, 0.0f),
						      0.0f));
	return mufu_canon(q & 2u ? 0.0f - v : v);
}

MUFU_FN float cuda_sinpif(float x)
{
	return truncf(x) != x ? float_pi(x, 0) : mufu_canon(x * 0.0f);
}

MUFU_FN float cuda_cospif(float x)
{
	return float_pi(mufu_abs(x) > 0x1p24f ? x * 0.0f : x, 1);
}

/* pi/2 as one product */
#define FLOAT_RIGHT(minus) fmaf(mufu_f(0x3f6ee581u), mufu_f(0x3fd774ebu), minus)

/* What asinf and acosf make of |x|: beyond 0.56 the half angle's sine. */
MUFU_FN float float_half_angle(float a, int *beyond)
{
	float h = fmaf(0.5f, -a, 0.5f), r = rsqrt_approx(h), s = h * r;

	*beyond = a > mufu_f(0x3f0f5c29u);
	s = a == 1.0f ? 0.0f : fmaf(s, fmaf(-s, r * 0.5f, 0.5f), s);
	return *beyond ? s : a;
}

MUFU_FN float cuda_asinf(float x)
{
	const uint32_t c[5] = { 0x3d4dd2f7u, 0x3c99ca97u, 0x3d3f90e8u, 0x3d993ccfu, 0x3e2aac04u };
	int beyond;
	float y = float_half_angle(mufu_abs(x), &beyond), z = y * y;
	float r = fmaf(z * mufu_poly(z, c, 5), y, y);

	if (beyond)
		r = FLOAT_RIGHT(r * -2.0f);
	return mufu_canon(r <= mufu_f(MUFU_INF) ? copysignf(r, x) : r);
}

MUFU_FN float cuda_acosf(float x)
{
	const uint32_t c[6] = { 0x3d10ecefu, 0x3c8b1abbu, 0x3cfc028cu, 0x3d372139u, 0x3d9993dbu,
				0x3e2aaac6u };
	int beyond;
	float y = copysignf(float_half_angle(mufu_abs(x), &beyond), x), z = y * y;
	float r = fmaf(z * mufu_poly(z, c, 6), y, y);

	if (!(x > mufu_f(0x3f0f5c29u)))
		r = FLOAT_RIGHT(beyond ? r : -r);
	return mufu_canon(beyond ? r + r : r);
}

MUFU_FN float cuda_atanf(float x)
{
	const uint32_t c[8] = { 0x3b2090aau, 0xbc6be14fu, 0x3d23397eu, 0xbd948a7au, 0x3dd76b21u,
				0xbe111e88u, 0x3e4caf60u, 0xbeaaaa27u };
	float a = mufu_abs(x), y = a > 1.0f ? rcp_approx(a) : a, z = y * y;
	float r = fmaf(z * mufu_poly(z, c, 8), y, y);

	if (a > 1.0f)
		r = FLOAT_RIGHT(-r);
	return mufu_canon(a <= mufu_f(MUFU_INF) ? copysignf(r, x) : r);
}

MUFU_FN float cuda_atan2f(float y, float x)
{
	const uint32_t c[8] = { 0x3b33710bu, 0xbc807748u, 0x3d2cdab2u, 0xbd992d10u, 0x3dd9ea6cu,
				0xbe117cb1u, 0x3e4cbce0u, 0xbeaaaa7du };
	float ax = mufu_abs(x), ay = mufu_abs(y), sum = ax + ay;
	int steep = ay > ax, left = (int)(mufu_u(x) >> 31);
	float large = steep ? ay : ax, q = (steep ? ax : ay) / large, z = q * q;
	float r = fmaf(z * mufu_poly(z, c, 8), q, q);

	if (steep)
		r = FLOAT_RIGHT(left ? r : -r);
	else if (left)
		r = fmaf(mufu_f(0x3feee581u), mufu_f(0x3fd774ebu), -r);
	if (ax == ay)
		r = mufu_f(left ? 0x4016cbe4u : 0x3f490fdbu);
	if (large == 0.0f)
		r = mufu_f(left ? 0x40490fdbu : 0u);
	return mufu_canon(sum != sum ? sum : copysignf(r, y));
}

/* --- roots and norms --- */

/* Twice 0, an infinity or a NaN is itself. */
MUFU_FN float cuda_cbrtf(float x)
{
	float a = mufu_abs(x), e = ex2_approx(lg2_approx_noftz(a) * mufu_f(0xbf2aaaabu));
	float y = a * e, r = fmaf(y, fmaf(y, -(e * y), 1.0f) * mufu_f(0x3eaaaaabu), y);

	return mufu_canon(x + x == x ? x + x : x < 0.0f ? -r : r);
}

MUFU_FN float cuda_rcbrtf(float x)
{
	float a = mufu_abs(x), e = ex2_approx(lg2_approx_noftz(a) * mufu_f(0xbeaaaaabu));
	float r = fmaf(fmaf(e * e, -(a * e), 1.0f), e * mufu_f(0x3eaaaaabu), e);

	if (x + x == x)
		return mufu_f(mufu_u(x + x) ^ 0x7f800000u);
	return mufu_canon(x < 0.0f ? -r : r);
}

/* Numbers are scaled by a power of two that the largest has, so that squares do not overflow. */
MUFU_FN float float_scale(float large)
{
	return mufu_f(0x7e800000u - (mufu_u(large) & 0xfe000000u));
}
MUFU_FN float float_unscale(float large)
{
	return mufu_f((mufu_u(large) & 0xfe000000u) | 0x800000u);
}

/* The smaller and the larger of two by their bits: a NaN is the largest. */
MUFU_FN float float_squares(float x, float y, float *small, float *large)
{
	float a = mufu_abs(x), b = mufu_abs(y), scale;

	*small = mufu_u(a) < mufu_u(b) ? a : b;
	*large = mufu_u(a) < mufu_u(b) ? b : a;
	scale = float_scale(*large);
	a = *small * scale;
	b = *large * scale;
	return fmaf(b, b, a * a);
}

MUFU_FN float cuda_hypotf(float x, float y)
{
	float small, large, square = float_squares(x, y, &small, &large);

	if (small == mufu_f(MUFU_INF))
		return small;
	return mufu_canon(small == 0.0f ? large : sqrtf(square) * float_unscale(large));
}

MUFU_FN float cuda_rhypotf(float x, float y)
{
	float small, large, square = float_squares(x, y, &small, &large);

	if (small == mufu_f(MUFU_INF))
		return 0.0f;
	return mufu_canon(rsqrt_approx_noftz(square) * float_scale(large));
}

/* The square of the norm of three or four numbers, scaled. */
MUFU_FN float float_norm(const float *v, int count, float *sum, float *large)
{
	float a = mufu_abs(v[0]), b = mufu_abs(v[1]), c = mufu_abs(v[2]), d, scale, square;
	float low = float_min(a, b), middle, next;

	*large = float_max(a, b);
	middle = float_min(*large, c);
	*large = float_max(*large, c);
	*sum = a + b + c;
	if (count == 3) {
		scale = float_scale(*large);
		middle *= scale;
		square = middle * middle;
	} else {
		d = mufu_abs(v[3]);
		*sum = c + (a + b + d);
		next = float_min(*large, d);
		*large = float_max(*large, d);
		scale = float_scale(*large);
		next *= scale;
		middle *= scale;
		square = fmaf(middle, middle, next * next);
	}
	low *= scale;
	square = fmaf(low, low, square);
	return fmaf(*large * scale, *large * scale, square);
}

MUFU_FN float float_norm_of(const float *v, int count)
{
	float sum, large, square = float_norm(v, count, &sum, &large);

	if (large == mufu_f(MUFU_INF))
		return large;
	return mufu_canon(sum > large ? sqrtf(square) * float_unscale(large) : sum);
}

MUFU_FN float float_rnorm_of(const float *v, int count)
{
	float sum, large, square = float_norm(v, count, &sum, &large);

	if (large == mufu_f(MUFU_INF))
		return 0.0f;
	return mufu_canon(sum != sum ? sum : rsqrt_approx_noftz(square) * float_scale(large));
}

MUFU_FN float cuda_norm3df(float x, float y, float z)
{
	const float v[3] = { x, y, z };

	return float_norm_of(v, 3);
}
MUFU_FN float cuda_rnorm3df(float x, float y, float z)
{
	const float v[3] = { x, y, z };

	return float_rnorm_of(v, 3);
}
MUFU_FN float cuda_norm4df(float x, float y, float z, float t)
{
	const float v[4] = { x, y, z, t };

	return float_norm_of(v, 4);
}
MUFU_FN float cuda_rnorm4df(float x, float y, float z, float t)
{
	const float v[4] = { x, y, z, t };

	return float_rnorm_of(v, 4);
}

/* --- error functions --- */

/* erfc(a) e^(a a) for a >= 0 */
MUFU_FN float float_erfcx(float a)
{
	const uint32_t c[11] = { 0x3a69a091u, 0x3be6e05bu, 0xbc81fb4bu, 0x3d15373bu, 0xbd887c5au,
				 0x3dc021d5u, 0xbdced424u, 0x3d8b74deu, 0x3c7bf170u, 0xbe0ef8d4u,
				 0x3f9dd2c9u };
	float r = rcp_approx(a + 4.0f), q = (a + -4.0f) * r, w, p, d;

	w = fmaf(-q, a, fmaf(-4.0f, q + 1.0f, a));
	p = mufu_poly(fmaf(r, w, q), c, 11);
	d = rcp_approx(fmaf(2.0f, a, 1.0f));
	w = p * d;
	return fmaf(fmaf(a, w * -2.0f, p) - w, d, w);
}

MUFU_FN float cuda_erfcf(float x)
{
	float a = mufu_abs(x), square = a * a, e = float_exp(-square, 0x4b40007fu), r;

	e = fmaf(e, fmaf(-a, a, square), e);
	r = a > mufu_f(0x4120e148u) ? 0.0f : float_erfcx(a) * e;
	return mufu_canon(x < 0.0f ? 2.0f - r : r);
}

MUFU_FN float cuda_normcdff(float x)
{
	const float half_root = mufu_f(0xbf3504f3u);
	float high, low, y, r;

	if (mufu_abs(x) > 14.5f)
		x = copysignf(14.5f, x);
	high = x * half_root;
	low = fmaf(x, mufu_f(0xb24fe77au), fmaf(x, half_root, -high));
	y = high + low;
	r = cuda_erfcf(y);
	if (x < -1.0f)
		r = fmaf(y * -2.0f * r, high - y + low, r);
	return mufu_canon(r * 0.5f);
}

MUFU_FN float float_inverse(float n)
{
	const uint32_t c[10] = { 0xaf8a6370u, 0x3221f645u, 0xb4016fdau, 0x3468f846u, 0x370742aau,
				 0xb804db4du, 0xba4afea1u, 0x3bb5c027u, 0x3e24ae0fu, 0x3f62dfc4u };

	return mufu_poly(n, c, 10);
}

MUFU_FN float cuda_erfinvf(float x)
{
	const uint32_t c[6] = { 0xbf1704a1u, 0xbf29baa5u, 0x3fcc6adcu, 0xbf2cdaedu, 0xbdc30537u,
				0x3f55d9b9u };
	float n = -lg2_approx(fmaf(x, -x, 1.0f)), r;

	if (!(n > mufu_f(0x41033333u)))
		return mufu_canon(float_inverse(n) * x);
	r = rsqrt_approx(n);
	r = r * n * mufu_poly(r, c, 6);
	return mufu_canon(copysignf(n == mufu_f(MUFU_INF) ? n : r, x));
}

MUFU_FN float cuda_erfcinvf(float x)
{
	const uint32_t c[9] = { 0xc27c73f1u, 0x42fef829u, 0xc2e4361cu, 0x42714d9bu, 0xc1ae51b3u,
				0x40cef504u, 0xbfea9e05u, 0xbcf871f4u, 0x3f553775u };
	float from_two = 2.0f + -x, n, r, w;

	if (x >= mufu_f(0x3b5ed289u) && x <= mufu_f(0x3fff9097u)) {
		r = float_inverse(-lg2_approx(from_two * x));
		return mufu_canon(fmaf(r, -x, r));
	}
	n = -lg2_approx_noftz(x > 1.0f ? from_two : x);
	r = rsqrt_approx(n);
	w = n == mufu_f(MUFU_INF) ? n : r * n;
	return mufu_canon(mufu_poly(r, c, 9) * (x > 1.0f ? -w : w));
}

MUFU_FN float cuda_normcdfinvf(float x)
{
	return mufu_canon(fmaf(mufu_f(0xbfb504f3u), cuda_erfcinvf(x + x), 0.0f));
}
