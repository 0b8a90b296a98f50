/* small_float_pair.h - the functions of a 16-bit float on both elements of its pair.
 *
 * Included once per type, after the functions of one element, with FT_PAIR (__half2) defined;
 * undefines it.
 */
#define FT_ON_PAIR(name) \
	static inline FT_PAIR h2##name(FT_PAIR a) { return FT_PAIR(h##name(a.x), h##name(a.y)); }
FT_ON_PAIR(exp)
FT_ON_PAIR(exp2)
FT_ON_PAIR(exp10)
FT_ON_PAIR(log)
FT_ON_PAIR(log2)
FT_ON_PAIR(log10)
FT_ON_PAIR(rcp)
FT_ON_PAIR(rsqrt)
FT_ON_PAIR(tanh)
FT_ON_PAIR(sin)
FT_ON_PAIR(cos)
#undef FT_ON_PAIR
#undef FT_PAIR
