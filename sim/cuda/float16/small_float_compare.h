/* small_float_compare.h - comparisons, minimum and maximum of a 16-bit float type and its pair.
 *
 * Part of small_float_type.h, once per type. Functions with u at the end are true for a NaN too.
 */
FT_FN bool __hisnan(FT_T a) { return (float)a != (float)a; }
FT_FN int __hisinf(FT_T a) { return (float)a == INFINITY ? 1 : (float)a == -INFINITY ? -1 : 0; }
FT_FN FT_T2 __hisnan2(FT_T2 a)
	{ return FT_T2(FT_T((int)__hisnan(a.x)), FT_T((int)__hisnan(a.y))); }

/* Of pairs: 1 or 0 in each half, a mask of each half, whether both are true. */
#define FT_COMPARE_PAIR(name) \
	FT_FN FT_T2 __h##name##2(FT_T2 a, FT_T2 b) \
		{ return FT_T2(FT_T((int)__h##name(a.x, b.x)), FT_T((int)__h##name(a.y, b.y))); } \
	FT_FN unsigned __h##name##2_mask(FT_T2 a, FT_T2 b) \
	{ \
		return (__h##name(a.x, b.x) ? 0xffffu : 0) \
			| (__h##name(a.y, b.y) ? 0xffff0000u : 0); \
	} \
	FT_FN bool __hb##name##2(FT_T2 a, FT_T2 b) \
		{ return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
#define FT_COMPARE(op, name) \
	FT_FN bool __h##name(FT_T a, FT_T b) \
		{ return !__hisnan(a) && !__hisnan(b) && (float)a op (float)b; } \
	FT_FN bool __h##name##u(FT_T a, FT_T b) \
		{ return __hisnan(a) || __hisnan(b) || (float)a op (float)b; } \
	FT_COMPARE_PAIR(name) \
	FT_COMPARE_PAIR(name##u)
FT_COMPARE(==, eq)
FT_COMPARE(!=, ne)
FT_COMPARE(<, lt)
FT_COMPARE(>, gt)
FT_COMPARE(<=, le)
FT_COMPARE(>=, ge)
#undef FT_COMPARE
#undef FT_COMPARE_PAIR
#define FT_COMPARE_OPERATOR(op, name) \
	FT_FN bool operator op(const FT_T &a, const FT_T &b) { return __h##name(a, b); } \
	FT_FN bool operator op(const FT_T2 &a, const FT_T2 &b) { return __hb##name##2(a, b); }
FT_COMPARE_OPERATOR(==, eq)
FT_COMPARE_OPERATOR(!=, neu)
FT_COMPARE_OPERATOR(<, lt)
FT_COMPARE_OPERATOR(>, gt)
FT_COMPARE_OPERATOR(<=, le)
FT_COMPARE_OPERATOR(>=, ge)
#undef FT_COMPARE_OPERATOR

/* These return the number if the other operand is a NaN, and +0 is greater than -0. The functions
 * with _nan at the end return the NaN. */
FT_FN FT_T __hmax(FT_T a, FT_T b) { return FT_T(ft_fmaxf((float)a, (float)b)); }
FT_FN FT_T __hmin(FT_T a, FT_T b) { return FT_T(ft_fminf((float)a, (float)b)); }
FT_FN FT_T __hmax_nan(FT_T a, FT_T b)
	{ return __hisnan(a) || __hisnan(b) ? FT_T(NAN) : __hmax(a, b); }
FT_FN FT_T __hmin_nan(FT_T a, FT_T b)
	{ return __hisnan(a) || __hisnan(b) ? FT_T(NAN) : __hmin(a, b); }
FT_FN FT_T2 __hmax2(FT_T2 a, FT_T2 b) { return FT_T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
FT_FN FT_T2 __hmin2(FT_T2 a, FT_T2 b) { return FT_T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
FT_FN FT_T2 __hmax2_nan(FT_T2 a, FT_T2 b)
	{ return FT_T2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
FT_FN FT_T2 __hmin2_nan(FT_T2 a, FT_T2 b)
	{ return FT_T2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
