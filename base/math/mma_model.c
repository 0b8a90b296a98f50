/* mma_model.c - bit-exact model of the tensor cores of NVIDIA's Hopper (sm_90). Integers only.
 *
 * An element of D = A B + C of one instruction is one fused sum of k products and C, not a chain of
 * multiply-adds: every term that is not zero is aligned to the largest exponent among them (a
 * product's exponent is the sum of its factors', not normalised; a subnormal has its format's
 * smallest exponent; terms are never aligned to less than -133), cut toward zero at F fraction
 * bits, summed exactly, and the sum is rounded once.
 *
 *   instruction                   A, B         C, D   k       F    rounding of the sum
 *   mma.sync m16n8k16, m16n8k8    bf16, f16    f32    16, 8   25   toward zero
 *   mma.sync m16n8k8, m16n8k4     tf32         f32    8, 4    25   toward zero
 *   mma.sync m16n8k16, m16n8k8    f16          f16    16, 8   25   to nearest even
 *   wgmma m64nNk16                bf16, f16    f32    16      25   toward zero
 *   wgmma m64nNk16                f16          f16    16      25   to nearest even
 *   wgmma m64nNk8                 tf32         f32    8       25   toward zero
 *   wgmma m64nNk32                e4m3, e5m2   f32    32      13   toward zero, to 13 fraction bits
 *   wgmma m64nNk32                e4m3, e5m2   f16    32      13   to nearest even
 *   mma.sync m16n8k32, m16n8k16   e4m3, e5m2   f32, f16: no such unit on sm_90. The compiler widens
 *     to f16 and issues two f16 instructions, k % 4 in {0, 1} starting from 0, then k % 4 in {2, 3}
 *     on top of it, and adds C last, to nearest even. ptxas of CUDA 13.0 does this.
 *   wmma 16x16x16                 bf16, f16    as mma.sync m16n8k16 (f16 also with f16 C, D)
 *   wmma 16x16x8                  tf32         as mma.sync m16n8k4, k 0 to 3, then k 4 to 7
 *
 * tf32 inputs lose their low 13 bits, also in NaN (0x7f800001 is an infinity). A NaN comes out as
 * 0x7fffffff (f16: 0x7fff): from a NaN, 0 * infinity, infinities of both signs. Otherwise an
 * infinite term gives that infinity. Only the rounded sum overflows, to infinity; finite products
 * beyond the range of f32 cancel like others. A zero result is +0, always: also for -0 terms and
 * for negative sums that underflow. Products that are zero take no part in the alignment, however
 * large the other factor.
 *
 * Verified on an H200 (CUDA 13.0, driver 580.159.04): 0 mismatches of 2,214,370,816 outputs, NaN
 * included, over 79 instruction variants and 14 kinds of input each. One fraction bit fewer or more
 * mismatches in every variant. Not covered: sparse and f64 instructions, other shapes of wmma,
 * other GPUs.
 *
 * Other sources include this file.
 */
#include <stdint.h>
#include <string.h>

enum mma_kind { MMA_BF16, MMA_F16, MMA_TF32, MMA_E4M3, MMA_E5M2, MMA_F32 };

/* One instruction: formats of A, B and of C and D (MMA_F32 or MMA_F16), products per element of D,
 * fraction bits kept when terms are aligned, and whether the compiler lowers it to f16 instructions
 * (mma.sync with fp8). */
struct mma_op {
	enum mma_kind a, b, d;
	int k, fraction, via_f16;
};

/* The significand has 23 fraction bits. */
struct mma_value {
	int kind, negative, exponent;
	int32_t significand;
};
enum { MMA_FINITE, MMA_INFINITE, MMA_NOT_A_NUMBER };
/* The working position of the binary point; terms are never aligned to a smaller exponent. */
enum { MMA_WORK = 40, MMA_FLOOR = -133 };

static inline struct mma_value mma_decode(enum mma_kind kind, uint32_t x)
{
	static const struct {
		int bits, mant, bias;
	} layout[] = { { 16, 7, 127 }, { 16, 10, 15 }, { 32, 23, 127 },
		       { 8, 3, 7 },    { 8, 2, 15 },   { 32, 23, 127 } };
	const int bits = layout[kind].bits, mant = layout[kind].mant,
		  top = (1 << (bits - 1 - mant)) - 1;
	if (kind == MMA_TF32)
		x &= 0xffffe000u; /* the low 13 bits do not exist, not even for NaN */
	struct mma_value v = { MMA_FINITE, (int)(x >> (bits - 1)) & 1, (int)(x >> mant) & top,
			       (int32_t)(x & ((1u << mant) - 1)) };
	if (v.exponent == top) {
		if (kind == MMA_E4M3)
			v.kind = v.significand == 7 ? MMA_NOT_A_NUMBER : MMA_FINITE;
		else
			v.kind = v.significand ? MMA_NOT_A_NUMBER : MMA_INFINITE;
	}
	if (v.exponent)
		v.significand |= 1 << mant;
	else
		v.exponent = 1;
	v.exponent -= layout[kind].bias;
	v.significand <<= 23 - mant;
	return v;
}

/* m * 2^unit as f32 or f16 bits, with `keep` fraction bits, to nearest even or toward zero; zero is
 * always +0. */
static uint32_t mma_encode(enum mma_kind d, int negative, uint64_t m, int unit, int keep,
			   int nearest)
{
	const int f16 = d == MMA_F16, mant = f16 ? 10 : 23, emin = f16 ? -14 : -126,
		  fields = f16 ? 31 : 255;
	if (m == 0)
		return 0;
	int e = unit + 63 - __builtin_clzll(m);
	if (e < emin)
		e = emin;
	const int shift = e - keep - unit; /* one unit of the result is 2^(e - keep) */
	uint64_t q = shift > 63 ? 0 : shift > 0 ? m >> shift : m << -shift;
	if (nearest && shift > 0 && shift < 64) {
		const uint64_t rest = m - (q << shift), half = (uint64_t)1 << (shift - 1);
		q += rest > half || (rest == half && (q & 1));
	}
	if (q == 0)
		return 0;
	/* The leading bit adds one to the exponent. */
	q = (q << (mant - keep)) + ((uint64_t)(e - emin) << mant);
	if (q > (uint64_t)fields << mant)
		q = (uint64_t)fields << mant;
	return (uint32_t)q | (uint32_t)negative << (f16 ? 15 : 31);
}

static uint32_t mma_special(enum mma_kind d, int nan, int negative)
{
	if (nan)
		return d == MMA_F16 ? 0x7fff : 0x7fffffff;
	return (d == MMA_F16 ? 0x7c00u : 0x7f800000u)
		| (uint32_t)negative << (d == MMA_F16 ? 15 : 31);
}

/* The tensor core: one fused sum of n products and c. */
static uint32_t mma_fused_dot(const struct mma_op *op, int n, const struct mma_value *a,
			      const struct mma_value *b, uint32_t cbits)
{
	const struct mma_value c = mma_decode(op->d, cbits);
	uint64_t significand[33];
	int64_t minus[33]; /* 0 or -1 */
	int exponent[33], emax = MMA_FLOOR, terms = 0, nan = c.kind == MMA_NOT_A_NUMBER;
	int infinite[2] = { c.kind == MMA_INFINITE && !c.negative,
			    c.kind == MMA_INFINITE && c.negative };

	for (int i = 0; i <= n; i++) {
		uint64_t s;
		int e, negative;
		if (i == n) {
			s = (uint64_t)c.significand, e = c.exponent, negative = c.negative;
		} else {
			s = (uint64_t)a[i].significand * (uint64_t)b[i].significand >> 23;
			/* Not normalised: a product's significand is below 4. */
			e = a[i].exponent + b[i].exponent;
			negative = a[i].negative ^ b[i].negative;
			if (a[i].kind | b[i].kind) {
				if (a[i].kind == MMA_NOT_A_NUMBER || b[i].kind == MMA_NOT_A_NUMBER
				    || s == 0)
					nan = 1;
				else
					infinite[negative] = 1;
			}
		}
		if (s == 0)
			continue;
		significand[terms] = s << (MMA_WORK - 23);
		minus[terms] = -negative;
		exponent[terms++] = e;
		if (e > emax)
			emax = e;
	}
	if (nan || (infinite[0] && infinite[1]))
		return mma_special(op->d, 1, 0);
	if (infinite[0] || infinite[1])
		return mma_special(op->d, 0, infinite[1]);

	int64_t sum = 0;
	/* Magnitudes are shifted: cut toward zero. */
	for (int i = 0; i < terms; i++) {
		const int shift = emax - exponent[i] + MMA_WORK - op->fraction;
		sum += ((int64_t)(significand[i] >> (shift > 63 ? 63 : shift)) ^ minus[i])
			- minus[i];
	}
	return mma_encode(op->d, sum < 0, sum < 0 ? -(uint64_t)sum : (uint64_t)sum,
			  emax - op->fraction,
			  op->d == MMA_F16	      ? 10
				  : op->fraction < 23 ? op->fraction
						      : 23,
			  op->d == MMA_F16);
}

/* IEEE addition, to nearest even, of two f32 or two f16. */
static uint32_t mma_add(enum mma_kind d, uint32_t xbits, uint32_t ybits)
{
	struct mma_value x = mma_decode(d, xbits), y = mma_decode(d, ybits);
	if (x.kind | y.kind) {
		const int nan = x.kind == MMA_NOT_A_NUMBER || y.kind == MMA_NOT_A_NUMBER
			|| (x.kind && y.kind && x.negative != y.negative);
		return mma_special(d, nan, x.kind ? x.negative : y.negative);
	}
	if (x.significand == 0 && y.significand == 0)
		return xbits & ybits;
	if (x.significand == 0 || (y.significand && x.exponent < y.exponent)) {
		struct mma_value t = x;
		x = y;
		y = t;
	}
	const int shift = y.significand ? x.exponent - y.exponent : 0;
	const int64_t p = (int64_t)x.significand << 30, q = (int64_t)y.significand << 30;
	int64_t r = shift > 62 ? 0 : q >> shift;
	/* What was cut off still breaks ties. */
	r |= shift > 62 ? q != 0 : r << shift != q;
	const int64_t sum = (x.negative ? -p : p) + (y.negative ? -r : r);
	return mma_encode(d, sum < 0, (uint64_t)(sum < 0 ? -sum : sum), x.exponent - 53,
			  d == MMA_F16 ? 10 : 23, 1);
}

/* From fp8 to f16: e4m3 subnormals become normal numbers. */
static struct mma_value mma_widen(struct mma_value v)
{
	while (v.kind == MMA_FINITE && v.significand && v.significand < 1 << 23 && v.exponent > -14)
		v.significand <<= 1, v.exponent--;
	return v;
}

/* One element of D, as bits. a: a row of A, b: a column of B, op->k elements each; c: the bits of
 * the element of C. */
static uint32_t mma_element(const struct mma_op *op, const struct mma_value *a,
			    const struct mma_value *b, uint32_t c)
{
	struct mma_value x[16], y[16];
	uint32_t sum = 0;
	if (!op->via_f16)
		return mma_fused_dot(op, op->k, a, b, c);
	/* Elements 4i and 4i + 1 first, then 4i + 2 and 4i + 3; C is added last. */
	for (int half = 0; half < 2; half++) {
		int n = 0;
		for (int i = 2 * half; i < op->k; i += i % 2 ? 3 : 1) {
			x[n] = mma_widen(a[i]);
			y[n++] = mma_widen(b[i]);
		}
		sum = mma_fused_dot(op, n, x, y, sum);
	}
	return mma_add(op->d, sum, c);
}
