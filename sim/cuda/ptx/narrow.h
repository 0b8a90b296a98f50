/* narrow.h - PTX's conversions to and from tf32 and 8-bit floats, and of several integers at once.
 * Part of sim/cuda/ptx.h.
 */
#ifndef SIM_PTX_NARROW_H
#define SIM_PTX_NARROW_H

FT_PTX unsigned ft_ptx_cvt_rna_tf32_f32(float v) { return narrow_to_tf32_away(v); }
FT_PTX unsigned ft_ptx_cvt_rn_tf32_f32(float v) { return narrow_to_tf32_even(v); }
FT_PTX unsigned ft_ptx_cvt_rz_tf32_f32(float v) { return narrow_to_tf32_zero(v); }

/* Two 8-bit floats. */
#define FT_PTX_PAIR8(format) \
	struct ft_ptx_##format##x2 { \
		uint8_t low, high; \
	\
		static uint8_t of(float v) { return narrow_to_##format(v); } \
		static ft_ptx_f16 half(uint8_t v) \
			{ return ft_ptx_f16::of(narrow_from_##format(v)); } \
	};
FT_PTX_PAIR8(e4m3)
FT_PTX_PAIR8(e5m2)
#undef FT_PTX_PAIR8

/* The first operand is the high byte. */
template <class P> FT_PTX P ft_ptx_cvt_narrow(float high, float low)
	{ return { P::of(low), P::of(high) }; }
template <class P> FT_PTX P ft_ptx_cvt_narrow(ft_ptx_f16x2 v)
	{ return { P::of(v.low.value()), P::of(v.high.value()) }; }
template <class P> FT_PTX ft_ptx_f16x2 ft_ptx_cvt_halves(P v)
	{ return { P::half(v.low), P::half(v.high) }; }

/* The second operand is the lowest. */
template <class To> FT_PTX unsigned ft_ptx_cvt_pack(int high, int low, unsigned before = 0)
{
	typedef typename std::make_unsigned<To>::type Bits;
	const int bits = 8 * sizeof(To);

	return (Bits)ft_ptx_cvt_sat<To>(low) | (unsigned)(Bits)ft_ptx_cvt_sat<To>(high) << bits
		| (bits == 8 ? before << 16 : 0);
}

#endif
