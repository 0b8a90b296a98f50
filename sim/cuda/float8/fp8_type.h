/* fp8_type.h - an 8-bit float type of CUDA, its pair and its vector of four.
 *
 * Included once per type, with FT_T (__nv_fp8_e4m3), FT_T2, FT_T4 and FT_KIND (__NV_E4M3) defined;
 * undefines them. Constructors saturate.
 */
struct FT_T {
	__nv_fp8_storage_t __x;

	FT_T() = default;
	explicit FT_T(__half v) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, FT_KIND)) { }
	explicit FT_T(__nv_bfloat16 v)
		: __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, FT_KIND)) { }
	explicit FT_T(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, FT_KIND)) { }
	explicit FT_T(double v) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, FT_KIND)) { }
	explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, FT_KIND); }
	explicit operator float() const { return (float)(__half)*this; }
	explicit operator double() const { return (float)*this; }
	explicit operator __nv_bfloat16() const { return (float)*this; }
	explicit operator bool() const { return (__x & 0x7f) != 0; }
#define FT_INTEGER_FROM(type) explicit FT_T(type v) : FT_T((float)v) { }
#define FT_INTEGER_TO(type) \
	explicit operator type() const { return ft_to_integer<type>((float)*this, truncf); }
#define FT_INTEGER(type) FT_INTEGER_FROM(type) FT_INTEGER_TO(type)
	FT_INTEGER_TO(char)
	FT_INTEGER_TO(signed char)
	FT_INTEGER_TO(unsigned char)
	FT_INTEGER(short)
	FT_INTEGER(unsigned short)
	FT_INTEGER(int)
	FT_INTEGER(unsigned)
	FT_INTEGER(long)
	FT_INTEGER(unsigned long)
	FT_INTEGER(long long)
	FT_INTEGER(unsigned long long)
#undef FT_INTEGER
#undef FT_INTEGER_TO
#undef FT_INTEGER_FROM
};

struct __attribute__((aligned(2))) FT_T2 {
	__nv_fp8x2_storage_t __x;

	FT_T2() = default;
	explicit FT_T2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, FT_KIND)) { }
	explicit FT_T2(__nv_bfloat162 v)
		: __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, FT_KIND)) { }
	explicit FT_T2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, FT_KIND)) { }
	explicit FT_T2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, FT_KIND)) { }
	explicit operator __half2() const { return __nv_cvt_fp8x2_to_halfraw2(__x, FT_KIND); }
	explicit operator float2() const { return __half22float2((__half2)*this); }
};

struct __attribute__((aligned(4))) FT_T4 {
	__nv_fp8x4_storage_t __x;

	FT_T4() = default;
	explicit FT_T4(__half2 low, __half2 high) : FT_T4(FT_T2(low), FT_T2(high)) { }
	explicit FT_T4(__nv_bfloat162 low, __nv_bfloat162 high) : FT_T4(FT_T2(low), FT_T2(high)) { }
	explicit FT_T4(float4 v)
		: FT_T4(FT_T2(make_float2(v.x, v.y)), FT_T2(make_float2(v.z, v.w))) { }
	explicit FT_T4(double4 v)
		: FT_T4(FT_T2(make_double2(v.x, v.y)), FT_T2(make_double2(v.z, v.w))) { }
	explicit operator float4() const
	{
		float2 low = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)__x,
								       FT_KIND));
		float2 high = __half22float2(__nv_cvt_fp8x2_to_halfraw2((unsigned short)(__x >> 16),
									FT_KIND));

		return make_float4(low.x, low.y, high.x, high.y);
	}
private:
	FT_T4(FT_T2 low, FT_T2 high) : __x(low.__x | (unsigned)high.__x << 16) { }
};

#undef FT_T
#undef FT_T2
#undef FT_T4
#undef FT_KIND
