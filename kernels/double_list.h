/* double_list.h - every double function whose bits are verified: functions, inputs, their sum.
 *
 * Valid C and CUDA C++. Continues kernels/math_list.h: each entry becomes a kernel in
 * kernels/verify_double.cu and a row in kernels/math_table.c; kernels/double_sums.h holds the
 * results of a GPU. Doubles are too many for all inputs: 2^32 seeded ones, of which half are any 64
 * bits and half have exponents from -40 to 12, and all pairs of boundary values.
 *
 * The sum of a range is that of math_mix(bits of the result + number of the input) modulo 2^64, in
 * any order; every NaN counts as 0x7ff8000000000000. A function of one argument takes the first of
 * a pair.
 */
#ifndef DOUBLE_LIST_H
#define DOUBLE_LIST_H

#include "kernels/math_list.h"

/* Functions with a model (base/math/double_model.c): X(id, name, arguments, expression). */
#define DOUBLE_MODEL_LIST(X) \
	X(double_exp,   "exp",   1, exp(x)) \
	X(double_exp2,  "exp2",  1, exp2(x)) \
	X(double_exp10, "exp10", 1, exp10(x)) \
	X(double_expm1, "expm1", 1, expm1(x)) \
	X(double_log,   "log",   1, log(x)) \
	X(double_log2,  "log2",  1, log2(x)) \
	X(double_log10, "log10", 1, log10(x)) \
	X(double_log1p, "log1p", 1, log1p(x)) \
	X(double_pow,   "pow",   2, pow(x, y)) \
	X(double_sin,   "sin",   1, sin(x)) \
	X(double_cos,   "cos",   1, cos(x)) \
	X(double_tan,   "tan",   1, tan(x)) \
	X(double_sinpi, "sinpi", 1, sinpi(x)) \
	X(double_cospi, "cospi", 1, cospi(x)) \
	X(double_asin,  "asin",  1, asin(x)) \
	X(double_acos,  "acos",  1, acos(x)) \
	X(double_atan,  "atan",  1, atan(x)) \
	X(double_atan2, "atan2", 2, atan2(x, y)) \
	X(double_sinh,  "sinh",  1, sinh(x)) \
	X(double_cosh,  "cosh",  1, cosh(x)) \
	X(double_tanh,  "tanh",  1, tanh(x)) \
	X(double_asinh, "asinh", 1, asinh(x)) \
	X(double_acosh, "acosh", 1, acosh(x)) \
	X(double_atanh, "atanh", 1, atanh(x)) \
	X(double_cbrt,  "cbrt",  1, cbrt(x)) \
	X(double_rcbrt, "rcbrt", 1, rcbrt(x)) \
	X(double_rsqrt, "rsqrt", 1, rsqrt(x)) \
	X(double_hypot, "hypot", 2, hypot(x, y)) \
	X(double_rhypot, "rhypot", 2, rhypot(x, y)) \
	X(double_erf,   "erf",   1, erf(x)) \
	X(double_erfc,  "erfc",  1, erfc(x)) \
	X(double_erfcx, "erfcx", 1, erfcx(x)) \
	X(double_normcdf, "normcdf", 1, normcdf(x)) \
	X(double_erfinv, "erfinv", 1, erfinv(x)) \
	X(double_erfcinv, "erfcinv", 1, erfcinv(x)) \
	X(double_normcdfinv, "normcdfinv", 1, normcdfinv(x))

/* Functions whose bits IEEE 754 or arithmetic alone determines. */
#define DOUBLE_EXACT_LIST(X) \
	X(double_sqrt,  "sqrt",  1, sqrt(x)) \
	X(double_rint,  "rint",  1, rint(x)) \
	X(double_nearbyint, "nearbyint", 1, nearbyint(x)) \
	X(double_round, "round", 1, round(x)) \
	X(double_logb,  "logb",  1, logb(x)) \
	X(double_fmod,  "fmod",  2, fmod(x, y)) \
	X(double_remainder, "remainder", 2, remainder(x, y)) \
	X(double_fdim,  "fdim",  2, fdim(x, y)) \
	X(double_nextafter, "nextafter", 2, nextafter(x, y)) \
	X(double_copysign, "copysign", 2, copysign(x, y))

#define DOUBLE_LIST(X) DOUBLE_MODEL_LIST(X) DOUBLE_EXACT_LIST(X)

/* --- inputs --- */

#define DOUBLE_INPUTS     MATH_BITS             /* seeded; the boundary pairs follow */
#define DOUBLE_BOUNDARIES 289u
#define DOUBLE_PAIRS      (DOUBLE_BOUNDARIES * DOUBLE_BOUNDARIES)

/* Argument `which`, 0 or 1, of seeded input i. */
MATH_FN uint64_t double_seeded(uint64_t i, int which)
{
	uint64_t bits = math_mix(2 * i + (uint64_t)which), exponent;

	if ((i & 1) == 0)
		return bits;
	exponent = 1023 - 40 + (bits >> 52 & 0x7ff) % 53;
	return (bits & 0x800fffffffffffffu) | exponent << 52;
}

/* Boundary value n: the neighbours of numbers where functions change their formula, special values,
 * and powers of two. */
MATH_FN uint64_t double_boundary(uint32_t n)
{
	const double middle[] = {
		0, 0.5, 1, 1.5, 2, 3, 4, 0.25, 0.75, 10, 100, 0.6931471805599453,
		1.5707963267948966, 3.141592653589793, 0.7853981633974483, 709.782712893384,
		745.1332191019411, 1024, 1074, 308.25471555991674, 323.3, 26.5, 5.9, 27.2,
		105615.0, 2147483648.0, 9007199254740992.0, 4503599627370496.0, 171.6, 0.0625,
		38.5,
	};
	const uint64_t special[] = {
		0x7ff0000000000000u, 0x7fefffffffffffffu, 0x0010000000000000u,
		0x000fffffffffffffu, 0x0000000000000001u, 0x7ff8000000000000u,
		0x7ff0000000000001u,
	};
	const uint32_t middles = 6 * sizeof middle / sizeof middle[0];
	const uint32_t specials = 2 * sizeof special / sizeof special[0];
	uint64_t sign = (uint64_t)(n & 1) << 63, bits;

	if (n < middles) {
		memcpy(&bits, &middle[n / 6], sizeof bits);
		bits += (uint64_t)(n / 2 % 3) - 1;
		return (bits & 0x7fffffffffffffffu) | sign;
	}
	n -= middles;
	if (n < specials)
		return special[n / 2] | sign;
	return (uint64_t)(23 * (n - specials)) << 52;
}

/* Arguments of input i, which is below DOUBLE_INPUTS + DOUBLE_PAIRS. Returns its number: the pairs
 * count from 0 again. */
MATH_FN uint64_t double_input(uint64_t i, double *x, double *y)
{
	uint64_t number = i < DOUBLE_INPUTS ? i : i - DOUBLE_INPUTS, a, b;

	if (i < DOUBLE_INPUTS) {
		a = double_seeded(i, 0);
		b = double_seeded(i, 1);
	} else {
		a = double_boundary((uint32_t)number / DOUBLE_BOUNDARIES);
		b = double_boundary((uint32_t)number % DOUBLE_BOUNDARIES);
	}
	memcpy(x, &a, sizeof *x);
	memcpy(y, &b, sizeof *y);
	return number;
}

/* What a result adds to the sum. */
MATH_FN uint64_t double_term(double result, uint64_t number)
{
	uint64_t bits = 0x7ff8000000000000u;

	if (result == result)
		memcpy(&bits, &result, sizeof bits);
	return math_mix(bits + number);
}

#endif
