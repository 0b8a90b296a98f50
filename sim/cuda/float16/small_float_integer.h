/* small_float_integer.h - conversions between a 16-bit float type and integers of all widths.
 *
 * Part of small_float_type.h, once per type. To an integer, a value out of range becomes the
 * nearest integer in range and a NaN 0, in 64 bits the sign bit alone, as the GPU's cvt does.
 */
#define FT_TO_INTEGER(type, name) \
	FT_TO_INTEGER_BY(type, name, rn, rintf) FT_TO_INTEGER_BY(type, name, rz, truncf) \
	FT_TO_INTEGER_BY(type, name, rd, floorf) FT_TO_INTEGER_BY(type, name, ru, ceilf)
#define FT_TO_INTEGER_BY(type, name, suffix, round) \
	FT_FN type FT_PASTE(FT_PASTE(__, FT_NAME, 2), name##_, suffix)(FT_T a) \
		{ return ft_to_integer<type>(a, round); }
FT_TO_INTEGER_BY(signed char, char, rz, truncf)
FT_TO_INTEGER_BY(unsigned char, uchar, rz, truncf)
FT_TO_INTEGER(short, short)
FT_TO_INTEGER(unsigned short, ushort)
FT_TO_INTEGER(int, int)
FT_TO_INTEGER(unsigned, uint)
FT_TO_INTEGER(long long, ll)
FT_TO_INTEGER(unsigned long long, ull)
#undef FT_TO_INTEGER
#undef FT_TO_INTEGER_BY

#define FT_FROM_INTEGER(type, name) \
	FT_FROM_INTEGER_BY(type, name, _rn, FT_NEAREST) \
	FT_FROM_INTEGER_BY(type, name, _rz, FT_TO_ZERO) \
	FT_FROM_INTEGER_BY(type, name, _rd, FT_DOWN) FT_FROM_INTEGER_BY(type, name, _ru, FT_UP)
#define FT_FROM_INTEGER_BY(type, name, suffix, rounding) \
	FT_FN FT_T FT_PASTE(__##name##2, FT_NAME, suffix)(type v) \
		{ FT_T t; t.ft_x = FT_BITS_OF(ft_sticky(v), rounding); return t; }
FT_FROM_INTEGER(short, short)
FT_FROM_INTEGER(unsigned short, ushort)
FT_FROM_INTEGER(int, int)
FT_FROM_INTEGER(unsigned, uint)
FT_FROM_INTEGER(long long, ll)
FT_FROM_INTEGER(unsigned long long, ull)
#undef FT_FROM_INTEGER
#undef FT_FROM_INTEGER_BY
