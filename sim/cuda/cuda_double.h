/* cuda_double.h - CUDA's double intrinsics and 64-bit conversions: what IEEE 754 determines.
 *
 * Part of cuda_c.h. Conversions to integers saturate; a NaN becomes the highest bit if one of the
 * types has 64 bits.
 */
#ifndef CUDA_DOUBLE_H
#define CUDA_DOUBLE_H

#define __dadd_rn(a, b) ((double)(a) + (double)(b))
#define __dsub_rn(a, b) ((double)(a) - (double)(b))
#define __dmul_rn(a, b) ((double)(a) * (double)(b))
#define __ddiv_rn(a, b) ((double)(a) / (double)(b))
#define __fma_rn(a, b, c) __builtin_fma((a), (b), (c))
#define __dsqrt_rn(a) __builtin_sqrt(a)
#define __drcp_rn(a) (1.0 / (double)(a))
#define __uint2double_rn(a) ((double)(unsigned)(a))
#define __ll2double_rn(a) ((double)(long long)(a))
#define __ull2double_rn(a) ((double)(unsigned long long)(a))
#define __ll2float_rn(a) ((float)(long long)(a))
#define __ull2float_rn(a) ((float)(unsigned long long)(a))

FT_INLINE unsigned ft_double_to_uint(double x)
{
	if (x != x)
		return 0x80000000u;
	return x <= 0.0 ? 0 : x >= 4294967296.0 ? UINT_MAX : (unsigned)x;
}

FT_INLINE long long ft_double_to_ll(double x)
{
	if (x != x)
		return LLONG_MIN;
	return x >= 0x1p63 ? LLONG_MAX : x <= -0x1p63 ? LLONG_MIN : (long long)x;
}

FT_INLINE unsigned long long ft_double_to_ull(double x)
{
	if (x != x)
		return 0x8000000000000000ull;
	return x <= 0.0 ? 0 : x >= 0x1p64 ? ULLONG_MAX : (unsigned long long)x;
}

/* A float converts to double exactly. */
#define __double2uint_rn(x) ft_double_to_uint(__builtin_rint(x))
#define __double2uint_rz(x) ft_double_to_uint(__builtin_trunc(x))
#define __double2uint_rd(x) ft_double_to_uint(__builtin_floor(x))
#define __double2uint_ru(x) ft_double_to_uint(__builtin_ceil(x))
#define __double2ll_rn(x) ft_double_to_ll(__builtin_rint(x))
#define __double2ll_rz(x) ft_double_to_ll(__builtin_trunc(x))
#define __double2ll_rd(x) ft_double_to_ll(__builtin_floor(x))
#define __double2ll_ru(x) ft_double_to_ll(__builtin_ceil(x))
#define __double2ull_rn(x) ft_double_to_ull(__builtin_rint(x))
#define __double2ull_rz(x) ft_double_to_ull(__builtin_trunc(x))
#define __double2ull_rd(x) ft_double_to_ull(__builtin_floor(x))
#define __double2ull_ru(x) ft_double_to_ull(__builtin_ceil(x))
#define __float2ll_rn(x) __double2ll_rn((float)(x))
#define __float2ll_rz(x) __double2ll_rz((float)(x))
#define __float2ll_rd(x) __double2ll_rd((float)(x))
#define __float2ll_ru(x) __double2ll_ru((float)(x))
#define __float2ull_rn(x) __double2ull_rn((float)(x))
#define __float2ull_rz(x) __double2ull_rz((float)(x))
#define __float2ull_rd(x) __double2ull_rd((float)(x))
#define __float2ull_ru(x) __double2ull_ru((float)(x))

#endif
