/* ptx_integer.cu - inline PTX on integers and bits, compared with formulas in C. wrong[i] counts the
 * inputs for which form i of PTX differs from its formula. */
#define U(x) ((unsigned)(x))
#define BINARY(name, ptx, T, constraint, formula) \
	__device__ T name(T a, T b) \
	{ \
		T d; \
		asm(ptx " %0, %1, %2;" : "=" constraint(d) : constraint(a), constraint(b)); \
		return d; \
	} \
	__device__ T name##_c(T a, T b) { return formula; }
#define TERNARY(name, ptx, T, constraint, formula) \
	__device__ T name(T a, T b, T c) \
	{ \
		T d; \
		asm(ptx " %0, %1, %2, %3;" \
		    : "=" constraint(d) : constraint(a), constraint(b), constraint(c)); \
		return d; \
	} \
	__device__ T name##_c(T a, T b, T c) { return formula; }

typedef unsigned long long u64;
typedef long long s64;
typedef unsigned short u16;

/* Bit 3 of the selector asks for the byte's sign. */
__device__ unsigned prmt_byte(unsigned a, unsigned b, unsigned selector)
{
	unsigned byte = (selector & 4 ? b : a) >> 8 * (selector & 3) & 255;

	return selector & 8 ? (byte >> 7) * 255 : byte;
}

BINARY(add32, "add.u32", unsigned, "r", a + b)
BINARY(add64, "add.s64", s64, "l", (s64)((u64)a + (u64)b))
BINARY(add16, "add.u16", u16, "h", (u16)(a + b))
BINARY(sub32, "sub.s32", int, "r", (int)(U(a) - U(b)))
BINARY(sat32, "add.sat.s32", int, "r",
       (s64)a + b > 0x7fffffff ? 0x7fffffff : (s64)a + b < -0x80000000ll ? -0x80000000 : a + b)
BINARY(mullo, "mul.lo.u32", unsigned, "r", a * b)
BINARY(mulhi, "mul.hi.u32", unsigned, "r", U((u64)a * b >> 32))
BINARY(mulhis, "mul.hi.s32", int, "r", (int)((s64)a * b >> 32))
BINARY(mulhi64, "mul.hi.u64", u64, "l", __umul64hi(a, b))
BINARY(mul24, "mul24.lo.s32", int, "r",
       (int)((s64)((int)(U(a) << 8) >> 8) * ((int)(U(b) << 8) >> 8)))
BINARY(div32, "div.u32", unsigned, "r", b ? a / b : 0xffffffffu)
BINARY(rem32, "rem.u32", unsigned, "r", b ? a % b : a)
BINARY(mins, "min.s32", int, "r", a < b ? a : b)
BINARY(maxu, "max.u32", unsigned, "r", a > b ? a : b)
BINARY(max64, "max.s64", s64, "l", a > b ? a : b)
BINARY(and32, "and.b32", unsigned, "r", a & b)
BINARY(or64, "or.b64", u64, "l", a | b)
BINARY(xor16, "xor.b16", u16, "h", (u16)(a ^ b))
BINARY(shl32, "shl.b32", unsigned, "r", b > 31 ? 0 : a << b)
BINARY(shru, "shr.u32", unsigned, "r", b > 31 ? 0 : a >> b)
BINARY(shrs, "shr.s32", int, "r", U(b) > 31 ? (a < 0 ? -1 : 0) : a >> b)
TERNARY(mad, "mad.lo.s32", int, "r", (int)(U(a) * U(b) + U(c)))
TERNARY(madhi, "mad.hi.u32", unsigned, "r", U((u64)a * b >> 32) + c)
TERNARY(sad, "sad.s32", int, "r", (int)(U(c) + (a > b ? U(a) - U(b) : U(b) - U(a))))
TERNARY(shfl, "shf.l.wrap.b32", unsigned, "r", U(((u64)b << 32 | a) << (c & 31) >> 32))
TERNARY(shfr, "shf.r.clamp.b32", unsigned, "r", U(((u64)b << 32 | a) >> (c > 32 ? 32 : c)))
TERNARY(prmt, "prmt.b32", unsigned, "r", prmt_byte(a, b, c) | prmt_byte(a, b, c >> 4) << 8
	| prmt_byte(a, b, c >> 8) << 16 | prmt_byte(a, b, c >> 12) << 24)

__device__ unsigned bfe_c(unsigned a, unsigned at, unsigned n, bool is_signed)
{
	unsigned d = 0, last = at + n - 1 > 31 ? 31 : at + n - 1;
	unsigned sign = is_signed && n ? a >> last & 1 : 0;

	for (unsigned i = 0; i < 32; i++)
		d |= (i < n && at + i <= 31 ? a >> (at + i) & 1 : sign) << i;
	return d;
}

__device__ unsigned bfi_c(unsigned a, unsigned b, unsigned at, unsigned n)
{
	for (unsigned i = 0; i < n && at + i <= 31; i++)
		b = (b & ~(1u << (at + i))) | (a >> i & 1) << (at + i);
	return b;
}

template <int TABLE> __device__ bool lop3_differs(unsigned a, unsigned b, unsigned c)
{
	unsigned d, expected = 0;

	asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
	for (int i = 0; i < 32; i++)
		expected |= (TABLE >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1u) << i;
	return d != expected;
}

/* 128-bit sums and products by carries. */
__device__ bool carries_differ(u64 a, u64 b)
{
	unsigned a0 = U(a), a1 = U(a >> 32), b0 = U(b), b1 = U(b >> 32);
	unsigned d0, d1, d2, e0, e1, e2, p0, p1, p2, p3;

	asm("add.cc.u32 %0, %3, %5;\n\t"
	    "addc.cc.u32 %1, %4, %6; // the middle\n\t"
	    "addc.u32 %2, 0, 0;"
	    : "=r"(d0), "=r"(d1), "=r"(d2) : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
	asm("sub.cc.u32 %0, %3, %5; subc.cc.u32 %1, %4, %6; subc.u32 %2, 0, 0;"
	    : "=r"(e0), "=r"(e1), "=r"(e2) : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
	asm("{ .reg .u32 t;\n"
	    "  mul.lo.u32 %0, %4, %6; mul.hi.u32 t, %4, %6;\n"
	    "  mad.lo.cc.u32 t, %5, %6, t; madc.hi.u32 %2, %5, %6, 0;\n"
	    "  mad.lo.cc.u32 %1, %4, %7, t; madc.hi.cc.u32 %2, %4, %7, %2; addc.u32 %3, 0, 0;\n"
	    "  mad.lo.cc.u32 %2, %5, %7, %2; madc.hi.u32 %3, %5, %7, %3; }"
	    : "=&r"(p0), "=&r"(p1), "=&r"(p2), "=&r"(p3) : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
	return ((u64)d1 << 32 | d0) != a + b || d2 != (a + b < a)
		|| ((u64)e1 << 32 | e0) != a - b || e2 != (a < b ? 0xffffffffu : 0)
		|| ((u64)p1 << 32 | p0) != a * b || ((u64)p3 << 32 | p2) != __umul64hi(a, b);
}

__device__ bool moves_differ(unsigned a, unsigned b)
{
	u64 packed;
	unsigned low, high, word, chosen, other;
	unsigned short h0, h1;
	int width = (int)(a & 0x7f), bits = (int)a;

	asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "r"(a), "r"(b));
	asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(packed));
	asm("mov.b32 {%0, %1}, %2;" : "=h"(h0), "=h"(h1) : "r"(a));
	asm("mov.b32 %0, {%1, %2};" : "=r"(word) : "h"(h1), "h"(h0));
	asm("{\n .reg .pred p, q;\n setp.lt.s32 p|q, %2, %3;\n"
	    " selp.b32 %0, %2, %3, p;\n @q mov.u32 %1, 7;\n @!q mov.u32 %1, -7; /* both */\n}"
	    : "=r"(chosen), "=r"(other) : "r"(a), "r"(b));
	asm("add.s32 %0, %0, 0x10;" : "+r"(bits));
	asm("{ .reg .pred %%p; setp.ge.and.u32 %%p, %0, 64, 1; @%%p sub.s32 %0, %0, 64; }"
	    : "+r"(width));
	return packed != ((u64)b << 32 | a) || low != a || high != b
		|| h0 != (u16)a || h1 != a >> 16 || word != (a << 16 | a >> 16)
		|| chosen != U((int)a < (int)b ? a : b)
		|| other != ((int)a < (int)b ? U(-7) : 7u)
		|| bits != (int)(a + 16) || width != (int)(a & 0x3f);
}

__device__ bool bits_differ(unsigned a, unsigned b, unsigned c)
{
	unsigned at = b & 0x3f, n = c & 0x3f, u, s, i, f, fs, sh, pop, clz, rev, pop64, cnot;
	u64 wide, wide_bits = (u64)a << 32 | b;
	s64 both;

	asm("bfe.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(a), "r"(at), "r"(n));
	asm("bfe.s32 %0, %1, %2, %3;" : "=r"(s) : "r"(a), "r"(at), "r"(n));
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(i) : "r"(a), "r"(b), "r"(at), "r"(n));
	asm("bfind.u32 %0, %1;" : "=r"(f) : "r"(a));
	asm("bfind.s32 %0, %1;" : "=r"(fs) : "r"(a));
	asm("bfind.shiftamt.u32 %0, %1;" : "=r"(sh) : "r"(a));
	asm("popc.b32 %0, %1;" : "=r"(pop) : "r"(a));
	asm("popc.b64 %0, %1;" : "=r"(pop64) : "l"(wide_bits));
	asm("clz.b32 %0, %1;" : "=r"(clz) : "r"(a));
	asm("brev.b32 %0, %1;" : "=r"(rev) : "r"(a));
	asm("cnot.b32 %0, %1;" : "=r"(cnot) : "r"(a));
	asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
	asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(both) : "r"(a), "r"(b), "l"(wide_bits));
	return u != bfe_c(a, at, n, false) || s != bfe_c(a, at, n, true)
		|| i != bfi_c(a, b, at, n) || f != 31u - __clz(a)
		|| fs != 31u - __clz((int)a < 0 ? ~a : a)
		|| sh != (a ? U(__clz(a)) : 0xffffffffu)
		|| pop != U(__popc(a)) || pop64 != U(__popc(a) + __popc(b))
		|| clz != U(__clz(a)) || rev != __brev(a) || cnot != (a == 0)
		|| wide != (u64)a * b || both != (s64)((s64)(int)a * (int)b + wide_bits);
}

__device__ bool dots_differ(unsigned a, unsigned b, unsigned c)
{
	unsigned d, v, expected = c;
	int s, signed_expected = (int)c;

	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(s) : "r"(a), "r"(b), "r"(c));
	asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(c));
	for (int i = 0; i < 32; i += 8) {
		int x = a >> i & 255, y = b >> i & 255;

		expected += x * y;
		signed_expected += (x > 127 ? x - 256 : x) * (y > 127 ? y - 256 : y);
		c += x > y ? x - y : y - x;
	}
	return d != expected || s != signed_expected || v != c;
}

__device__ bool modes_differ(unsigned a, unsigned b, unsigned c)
{
	unsigned f, r, d, bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (i < 4 ? a : b) >> 8 * (i & 3) & 255;
	asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(f) : "r"(a), "r"(b), "r"(c));
	asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	c &= 3;
	return f != (bytes[c] | bytes[c + 1] << 8 | bytes[c + 2] << 16 | bytes[c + 3] << 24)
		|| r != bytes[c] * 0x01010101u
		|| d != (bytes[c] | bytes[(c + 7) & 7] << 8 | bytes[(c + 6) & 7] << 16
			 | bytes[(c + 5) & 7] << 24);
}

__device__ bool conversions_differ(unsigned a, unsigned b)
{
	short h;
	signed char narrow = (signed char)a;
	u64 wide;
	s64 s;
	unsigned sat, sats;

	asm("cvt.s64.s32 %0, %1;" : "=l"(s) : "r"(a));
	asm("cvt.u64.u32 %0, %1;" : "=l"(wide) : "r"(a));
	asm("cvt.s16.s8 %0, %1;" : "=h"(h) : "r"(a));
	asm("cvt.sat.u8.s32 %0, %1;" : "=r"(sat) : "r"(a));
	asm("cvt.sat.s16.u32 %0, %1;" : "=r"(sats) : "r"(b));
	return s != (int)a || wide != a || h != narrow
		|| sat != U((int)a < 0 ? 0 : (int)a > 255 ? 255 : (int)a)
		|| sats != (b > 32767 ? 32767u : b);
}

#define FORM2(name, ...) wrong[n++] += name(__VA_ARGS__) != name##_c(__VA_ARGS__);
__global__ void integers(const unsigned *in, unsigned *wrong, int count)
{
	for (int i = 0; i < 34; i++)
		wrong[i] = 0;
	for (int k = 0; k < count; k++) {
		unsigned a = in[k], b = in[(k * 7 + 1) % count], c = in[(k * 5 + 3) % count];
		u64 x = (u64)a << 32 | c, y = (u64)b << 32 | a;
		int n = 0;

		FORM2(add32, a, b)
		FORM2(add64, (s64)x, (s64)y)
		FORM2(add16, (u16)a, (u16)b)
		FORM2(sub32, (int)a, (int)b)
		FORM2(sat32, (int)a, (int)b)
		FORM2(mullo, a, b)
		FORM2(mulhi, a, b)
		FORM2(mulhis, (int)a, (int)b)
		FORM2(mulhi64, x, y)
		FORM2(mul24, (int)a, (int)b)
		FORM2(div32, a, b | 1)
		FORM2(rem32, a, b | 1)
		FORM2(mins, (int)a, (int)b)
		FORM2(maxu, a, b)
		FORM2(max64, (s64)x, (s64)y)
		FORM2(and32, a, b)
		FORM2(or64, x, y)
		FORM2(xor16, (u16)a, (u16)b)
		FORM2(shl32, a, b & 63)
		FORM2(shru, a, b & 63)
		FORM2(shrs, (int)a, (int)(b & 63))
		FORM2(mad, (int)a, (int)b, (int)c)
		FORM2(madhi, a, b, c)
		FORM2(sad, (int)a, (int)b, (int)c)
		FORM2(shfl, a, b, c)
		FORM2(shfr, a, b, c & 63)
		FORM2(prmt, a, b, c)
		wrong[n++] += lop3_differs<0xe8>(a, b, c) + lop3_differs<0x96>(a, b, c)
			+ lop3_differs<0x35>(a, b, c);
		wrong[n++] += carries_differ(x, y);
		wrong[n++] += moves_differ(a, b);
		wrong[n++] += bits_differ(a, b, c);
		wrong[n++] += dots_differ(a, b, c);
		wrong[n++] += modes_differ(a, b, c);
		wrong[n++] += conversions_differ(a, b);
	}
}
