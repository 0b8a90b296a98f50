/* float_rounded.h - CUDA's float arithmetic in other rounding directions: __fadd_rd() and so on.
 *
 * Computed in double with the sign of what is missing, which together are exact enough to tell on
 * which side of a float the result is. Part of sim/cuda/float_api.h.
 */
#ifndef FLOAT_ROUNDED_H
#define FLOAT_ROUNDED_H

enum ft_direction { FT_ROUND_DOWN, FT_ROUND_UP, FT_ROUND_ZERO };

/* The float next to f: above or below it. */
FT_INLINE float ft_next_float(float f, int above)
{
	unsigned bits;

	ft_copy_bits(&bits, &f, sizeof bits);
	if (f == 0.0f)
		bits = above ? 1u : 0x80000001u;
	else
		bits += (f > 0.0f) == above ? 1u : -1u;
	ft_copy_bits(&f, &bits, sizeof bits);
	return f;
}

/* Rounds a number of which `rest` has the sign of what it lacks; that is less than its last bit. */
FT_INLINE float ft_round_float(double number, double rest, enum ft_direction to)
{
	float f = (float)number;
	double over = (double)f - number;

	if (to == FT_ROUND_ZERO)
		to = number < 0.0 ? FT_ROUND_UP : FT_ROUND_DOWN;
	if (to == FT_ROUND_DOWN && (over > 0.0 || (over == 0.0 && rest < 0.0)))
		return ft_next_float(f, 0);
	if (to == FT_ROUND_UP && (over < 0.0 || (over == 0.0 && rest > 0.0)))
		return ft_next_float(f, 1);
	return f;
}

/* A sum of 0 is -0 if it is rounded down, unless both are +0. */
FT_INLINE float ft_add_float(double a, double b, enum ft_direction to)
{
	double sum = a + b, of_b = sum - a;

	if (sum == 0.0 && to == FT_ROUND_DOWN)
		return __builtin_signbit(a) || __builtin_signbit(b) ? -0.0f : 0.0f;
	return ft_round_float(sum, (a - (sum - of_b)) + (b - of_b), to);
}

FT_INLINE float ft_divide_float(double a, double b, enum ft_direction to)
{
	double quotient = a / b, rest = __builtin_fma(-quotient, b, a);

	if (!(rest < 0.0 || rest > 0.0))
		rest = 0.0;
	return ft_round_float(quotient, b < 0.0 ? -rest : rest, to);
}

FT_INLINE float ft_root_float(double a, enum ft_direction to)
{
	double root = __builtin_sqrt(a);

	return ft_round_float(root, __builtin_fma(-root, root, a), to);
}

#define ft_rounded_add(x, y, to) ft_add_float((float)(x), (float)(y), to)
#define ft_rounded_sub(x, y, to) ft_add_float((float)(x), -(float)(y), to)
#define ft_rounded_mul(x, y, to) ft_round_float((double)(float)(x) * (float)(y), 0.0, to)
#define ft_rounded_div(x, y, to) ft_divide_float((float)(x), (float)(y), to)
#define ft_rounded_fma(x, y, z, to) ft_add_float((double)(float)(x) * (float)(y), (float)(z), to)

#define __fadd_rd(x, y) ft_rounded_add(x, y, FT_ROUND_DOWN)
#define __fadd_ru(x, y) ft_rounded_add(x, y, FT_ROUND_UP)
#define __fadd_rz(x, y) ft_rounded_add(x, y, FT_ROUND_ZERO)

#define __fsub_rd(x, y) ft_rounded_sub(x, y, FT_ROUND_DOWN)
#define __fsub_ru(x, y) ft_rounded_sub(x, y, FT_ROUND_UP)
#define __fsub_rz(x, y) ft_rounded_sub(x, y, FT_ROUND_ZERO)

#define __fmul_rd(x, y) ft_rounded_mul(x, y, FT_ROUND_DOWN)
#define __fmul_ru(x, y) ft_rounded_mul(x, y, FT_ROUND_UP)
#define __fmul_rz(x, y) ft_rounded_mul(x, y, FT_ROUND_ZERO)

#define __fdiv_rd(x, y) ft_rounded_div(x, y, FT_ROUND_DOWN)
#define __fdiv_ru(x, y) ft_rounded_div(x, y, FT_ROUND_UP)
#define __fdiv_rz(x, y) ft_rounded_div(x, y, FT_ROUND_ZERO)

#define __fmaf_rd(x, y, z) ft_rounded_fma(x, y, z, FT_ROUND_DOWN)
#define __fmaf_ru(x, y, z) ft_rounded_fma(x, y, z, FT_ROUND_UP)
#define __fmaf_rz(x, y, z) ft_rounded_fma(x, y, z, FT_ROUND_ZERO)

#define __frcp_rd(x) ft_divide_float(1.0, (float)(x), FT_ROUND_DOWN)
#define __frcp_ru(x) ft_divide_float(1.0, (float)(x), FT_ROUND_UP)
#define __frcp_rz(x) ft_divide_float(1.0, (float)(x), FT_ROUND_ZERO)

#define __fsqrt_rd(x) ft_root_float((float)(x), FT_ROUND_DOWN)
#define __fsqrt_ru(x) ft_root_float((float)(x), FT_ROUND_UP)
#define __fsqrt_rz(x) ft_root_float((float)(x), FT_ROUND_ZERO)

#define __int2float_rd(x) ft_round_float((int)(x), 0.0, FT_ROUND_DOWN)
#define __int2float_ru(x) ft_round_float((int)(x), 0.0, FT_ROUND_UP)
#define __int2float_rz(x) ft_round_float((int)(x), 0.0, FT_ROUND_ZERO)

#define __uint2float_rd(x) ft_round_float((unsigned)(x), 0.0, FT_ROUND_DOWN)
#define __uint2float_ru(x) ft_round_float((unsigned)(x), 0.0, FT_ROUND_UP)
#define __uint2float_rz(x) ft_round_float((unsigned)(x), 0.0, FT_ROUND_ZERO)

#endif
