/* integer.h - PTX's integer, bit, move and select instructions. Part of sim/cuda/ptx.h. */
#ifndef SIM_PTX_INTEGER_H
#define SIM_PTX_INTEGER_H

template <class T> struct ft_ptx_wider;
template <> struct ft_ptx_wider<unsigned short> { typedef unsigned type; };
template <> struct ft_ptx_wider<short> { typedef int type; };
template <> struct ft_ptx_wider<unsigned> { typedef unsigned long long type; };
template <> struct ft_ptx_wider<int> { typedef long long type; };
template <> struct ft_ptx_wider<unsigned long long> { typedef unsigned __int128 type; };
template <> struct ft_ptx_wider<long long> { typedef __int128 type; };
template <class T> using ft_ptx_wide = typename ft_ptx_wider<T>::type;

template <class T> constexpr unsigned ft_ptx_width() { return 8 * sizeof(T); }

/* --- arithmetic --- */

template <class T> FT_PTX T ft_ptx_add(T a, T b) { return (T)(a + b); }
template <class T> FT_PTX T ft_ptx_sub(T a, T b) { return (T)(a - b); }
template <class T> FT_PTX T ft_ptx_mul_lo(T a, T b) { return (T)((ft_ptx_wide<T>)a * b); }
template <class T> FT_PTX T ft_ptx_mul_hi(T a, T b)
{
	return (T)((ft_ptx_wide<T>)a * b >> ft_ptx_width<T>());
}
template <class T> FT_PTX ft_ptx_wide<T> ft_ptx_mul_wide(T a, T b)
{
	return (ft_ptx_wide<T>)a * b;
}
template <class T> FT_PTX T ft_ptx_mad_lo(T a, T b, T c) { return (T)(ft_ptx_mul_lo(a, b) + c); }
template <class T> FT_PTX T ft_ptx_mad_hi(T a, T b, T c) { return (T)(ft_ptx_mul_hi(a, b) + c); }
template <class T> FT_PTX ft_ptx_wide<T> ft_ptx_mad_wide(T a, T b, ft_ptx_wide<T> c)
{
	return ft_ptx_mul_wide(a, b) + c;
}
template <class T> FT_PTX T ft_ptx_mul24_lo(T a, T b)
{
	return std::is_signed<T>::value ? (T)__mul24((int)a, (int)b)
		: (T)__umul24((unsigned)a, (unsigned)b);
}
template <class T> FT_PTX T ft_ptx_mad24_lo(T a, T b, T c) { return ft_ptx_mul24_lo(a, b) + c; }
template <class T> FT_PTX T ft_ptx_div(T a, T b) { return (T)(a / b); }
template <class T> FT_PTX T ft_ptx_rem(T a, T b) { return (T)(a % b); }
template <class T> FT_PTX T ft_ptx_min(T a, T b) { return b < a ? b : a; }
template <class T> FT_PTX T ft_ptx_max(T a, T b) { return a < b ? b : a; }
template <class T> FT_PTX T ft_ptx_abs(T a) { return (T)(a < 0 ? -a : a); }
template <class T> FT_PTX T ft_ptx_neg(T a) { return (T)-a; }
template <class T> FT_PTX T ft_ptx_sad(T a, T b, T c)
{
	return (T)(c + (a < b ? (T)(b - a) : (T)(a - b)));
}

FT_PTX int ft_ptx_saturated(long long v)
{
	return v > INT_MAX ? INT_MAX : v < INT_MIN ? INT_MIN : (int)v;
}
FT_PTX int ft_ptx_add_sat_s32(int a, int b) { return ft_ptx_saturated((long long)a + b); }
FT_PTX int ft_ptx_sub_sat_s32(int a, int b) { return ft_ptx_saturated((long long)a - b); }

/* With a carry, which subtractions use as a borrow. */
FT_PTX unsigned ft_ptx_carry_out(ft_reg &carry, unsigned long long v)
{
	carry.put((bool)(v >> 32 & 1));
	return (unsigned)v;
}
#define FT_PTX_CARRY(name, parameters, value) \
	template <class T> FT_PTX T ft_ptx_##name##_cc parameters \
		{ return (T)ft_ptx_carry_out(carry, value); }
#define FT_PTX_WITH_CARRY(name, parameters, value) \
	FT_PTX_CARRY(name, parameters, value) \
	template <class T> FT_PTX T ft_ptx_##name parameters { return (T)(value); }
FT_PTX_CARRY(add, (ft_reg &carry, unsigned a, unsigned b), (unsigned long long)a + b)
FT_PTX_CARRY(sub, (ft_reg &carry, unsigned a, unsigned b), (unsigned long long)a - b)
FT_PTX_CARRY(mad_lo, (ft_reg &carry, T a, T b, unsigned c),
	     (unsigned long long)(unsigned)ft_ptx_mul_lo(a, b) + c)
FT_PTX_CARRY(mad_hi, (ft_reg &carry, T a, T b, unsigned c),
	     (unsigned long long)(unsigned)ft_ptx_mul_hi(a, b) + c)
FT_PTX_WITH_CARRY(addc, (ft_reg &carry, unsigned a, unsigned b),
		  (unsigned long long)a + b + carry.is())
FT_PTX_WITH_CARRY(subc, (ft_reg &carry, unsigned a, unsigned b),
		  (unsigned long long)a - b - carry.is())
FT_PTX_WITH_CARRY(madc_lo, (ft_reg &carry, T a, T b, unsigned c),
		  (unsigned long long)(unsigned)ft_ptx_mul_lo(a, b) + c + carry.is())
FT_PTX_WITH_CARRY(madc_hi, (ft_reg &carry, T a, T b, unsigned c),
		  (unsigned long long)(unsigned)ft_ptx_mul_hi(a, b) + c + carry.is())
#undef FT_PTX_WITH_CARRY
#undef FT_PTX_CARRY

/* The result is signed if one of the operands is. */
template <class A, class B> FT_PTX int ft_ptx_dp4a(A a, B b, int c)
{
	unsigned sum = (unsigned)c;

	for (int i = 0; i < 32; i += 8) {
		int x = std::is_signed<A>::value ? (int8_t)(a >> i) : (uint8_t)(a >> i);
		int y = std::is_signed<B>::value ? (int8_t)(b >> i) : (uint8_t)(b >> i);

		sum += (unsigned)(x * y);
	}
	return (int)sum;
}

FT_PTX unsigned ft_ptx_vabsdiff4_u32_u32_u32_add(unsigned a, unsigned b, unsigned c)
{
	for (int i = 0; i < 32; i += 8) {
		int difference = (int)(a >> i & 0xff) - (int)(b >> i & 0xff);

		c += (unsigned)(difference < 0 ? -difference : difference);
	}
	return c;
}

/* --- bits --- */

template <class T> FT_PTX T ft_ptx_and(T a, T b) { return (T)(a & b); }
template <class T> FT_PTX T ft_ptx_or(T a, T b) { return (T)(a | b); }
template <class T> FT_PTX T ft_ptx_xor(T a, T b) { return (T)(a ^ b); }
template <class T> FT_PTX T ft_ptx_not(T a)
{
	return std::is_same<T, bool>::value ? (T)!a : (T)~(unsigned long long)a;
}
template <class T> FT_PTX T ft_ptx_cnot(T a) { return (T)(a == 0); }

/* Shifts by the width or more give only zeros or signs. */
template <class T> FT_PTX T ft_ptx_shl(T a, unsigned n)
{
	return n < ft_ptx_width<T>() ? (T)((unsigned long long)a << n) : (T)0;
}
template <class T> FT_PTX T ft_ptx_shr(T a, unsigned n)
{
	if (n < ft_ptx_width<T>())
		return (T)(a >> n);
	return a < 0 ? (T)-1 : (T)0;
}

FT_PTX unsigned ft_ptx_shf_l_wrap_b32(unsigned a, unsigned b, unsigned n)
	{ return __funnelshift_l(a, b, n); }
FT_PTX unsigned ft_ptx_shf_r_wrap_b32(unsigned a, unsigned b, unsigned n)
	{ return __funnelshift_r(a, b, n); }
FT_PTX unsigned ft_ptx_shf_l_clamp_b32(unsigned a, unsigned b, unsigned n)
	{ return __funnelshift_lc(a, b, n); }
FT_PTX unsigned ft_ptx_shf_r_clamp_b32(unsigned a, unsigned b, unsigned n)
	{ return __funnelshift_rc(a, b, n); }

/* Bit (a << 2 | b << 1 | c) of the table is the result for bits a, b and c. */
FT_PTX unsigned ft_ptx_lop3_b32(unsigned a, unsigned b, unsigned c, unsigned table)
{
	unsigned result = 0;

	for (int i = 0; i < 8; i++)
		if (table >> i & 1)
			result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
	return result;
}

/* The selector has four digits: a byte, and with bit 3 its sign repeated. */
FT_PTX unsigned ft_ptx_prmt_b32(unsigned a, unsigned b, unsigned selector)
{
	unsigned result = 0;

	for (int i = 0; i < 4; i++) {
		unsigned digit = selector >> 4 * i & 15;
		unsigned byte = __byte_perm(a, b, digit & 7) & 0xff;

		result |= (digit & 8 ? (byte & 0x80 ? 0xffu : 0u) : byte) << 8 * i;
	}
	return result;
}
/* The modes choose one of four selectors by two bits. */
#define FT_PTX_PRMT(mode, s0, s1, s2, s3) \
	FT_PTX unsigned ft_ptx_prmt_b32_##mode(unsigned a, unsigned b, unsigned c) \
	{ \
		const unsigned selectors[] = { s0, s1, s2, s3 }; \
		return __byte_perm(a, b, selectors[c & 3]); \
	}
FT_PTX_PRMT(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
FT_PTX_PRMT(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
FT_PTX_PRMT(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
FT_PTX_PRMT(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
FT_PTX_PRMT(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
FT_PTX_PRMT(rc16, 0x1010, 0x3232, 0x1010, 0x3232)
#undef FT_PTX_PRMT

template <class T> FT_PTX T ft_ptx_bfe(T a, unsigned position, unsigned length)
{
	const unsigned width = ft_ptx_width<T>(), at = position & 0xff, count = length & 0xff;
	const unsigned top = at + count - 1 < width - 1 ? at + count - 1 : width - 1;
	unsigned long long field = at < width ? (unsigned long long)a >> at : 0;
	bool negative;

	if (count == 0)
		return 0;
	negative = std::is_signed<T>::value && ((unsigned long long)a >> top & 1);
	/* Bits above the value are copies of the field's last bit. */
	if (at >= width)
		return (T)(negative ? -1 : 0);
	if (top - at + 1 < 64) {
		field &= (1ull << (top - at + 1)) - 1;
		if (negative)
			field |= ~0ull << (top - at + 1);
	}
	return (T)field;
}

template <class T> FT_PTX T ft_ptx_bfi(T a, T b, unsigned position, unsigned length)
{
	const unsigned width = ft_ptx_width<T>(), at = position & 0xff, count = length & 0xff;
	unsigned long long mask = count >= 64 ? ~0ull : (1ull << count) - 1;

	if (at >= width)
		return b;
	mask <<= at;
	return (T)((b & ~mask) | ((unsigned long long)a << at & mask));
}

template <class T> FT_PTX unsigned ft_ptx_bfind(T a)
{
	unsigned long long v = (unsigned long long)(a < 0 ? (T)~a : a);

	return v ? 63 - (unsigned)__builtin_clzll(v) : 0xffffffffu;
}
template <class T> FT_PTX unsigned ft_ptx_bfind_shiftamt(T a)
{
	unsigned at = ft_ptx_bfind(a);

	return at == 0xffffffffu ? at : ft_ptx_width<T>() - 1 - at;
}
template <class T> FT_PTX unsigned ft_ptx_popc(T a) { return (unsigned)__builtin_popcountll(a); }
template <class T> FT_PTX unsigned ft_ptx_clz(T a)
{
	return a ? (unsigned)__builtin_clzll(a) - (64 - ft_ptx_width<T>()) : ft_ptx_width<T>();
}
template <class T> FT_PTX T ft_ptx_brev(T a)
{
	return (T)(__brevll(a) >> (64 - ft_ptx_width<T>()));
}

/* --- comparison and selection --- */

/* The second result is for the opposite of the comparison. */
#define FT_PTX_COMBINE(name, combination, operation, condition) \
	template <class T> FT_PTX bool ft_ptx_setp_##name##_##combination(ft_reg *opposite, T a, \
									  T b, bool c) \
	{ \
		opposite->put((bool)(!(condition) operation c)); \
		return (bool)((condition) operation c); \
	}
#define FT_PTX_COMPARE(name, condition) \
	template <class T> FT_PTX bool ft_ptx_setp_##name(ft_reg *opposite, T a, T b) \
	{ \
		opposite->put(!(condition)); \
		return condition; \
	} \
	FT_PTX bool ft_ptx_setp_##name##_ftz_f32(ft_reg *opposite, float a, float b) \
		{ return ft_ptx_setp_##name(opposite, mufu_flush(a), mufu_flush(b)); } \
	FT_PTX_COMBINE(name, and, &, condition) \
	FT_PTX_COMBINE(name, or, |, condition) \
	FT_PTX_COMBINE(name, xor, ^, condition)
FT_PTX_COMPARE(eq, (a == b))
FT_PTX_COMPARE(ne, (a == a && b == b && a != b))
FT_PTX_COMPARE(lt, (a < b))
FT_PTX_COMPARE(le, (a <= b))
FT_PTX_COMPARE(gt, (a > b))
FT_PTX_COMPARE(ge, (a >= b))
FT_PTX_COMPARE(lo, (a < b))
FT_PTX_COMPARE(ls, (a <= b))
FT_PTX_COMPARE(hi, (a > b))
FT_PTX_COMPARE(hs, (a >= b))
FT_PTX_COMPARE(equ, !(a < b || a > b))
FT_PTX_COMPARE(neu, (a != b))
FT_PTX_COMPARE(ltu, !(a >= b))
FT_PTX_COMPARE(leu, !(a > b))
FT_PTX_COMPARE(gtu, !(a <= b))
FT_PTX_COMPARE(geu, !(a < b))
FT_PTX_COMPARE(num, (a == a && b == b))
FT_PTX_COMPARE(nan, (a != a || b != b))
#undef FT_PTX_COMPARE
#undef FT_PTX_COMBINE

template <class T> FT_PTX T ft_ptx_selp(T a, T b, bool first) { return first ? a : b; }
template <class T> FT_PTX T ft_ptx_slct_s32(T a, T b, int c) { return c >= 0 ? a : b; }

/* --- moves --- */

template <class T> FT_PTX T ft_ptx_mov(T a) { return a; }

/* The first element is in the lowest bits. */
template <class T, int N> FT_PTX T ft_ptx_pack(ft_values<N> v)
{
	const unsigned width = ft_ptx_width<T>() / N;
	unsigned long long bits = 0;

	for (int i = 0; i < N; i++)
		bits |= (v.at[i].bits & ~0ull >> (64 - width)) << i * width;
	return (T)bits;
}

template <class T, int N> FT_PTX void ft_ptx_unpack(ft_places<N> to, T a)
{
	const unsigned width = ft_ptx_width<T>() / N;

	for (int i = 0; i < N; i++)
		to.at[i]->bits = (unsigned long long)a >> i * width & ~0ull >> (64 - width);
}

#endif
