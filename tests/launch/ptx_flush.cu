/* ptx_flush.cu - inline PTX that takes subnormal floats for zeros, or rounds in other directions,
 * compared with formulas that need neither. wrong[i] counts the inputs for which group i differs;
 * a NaN must be 0x7fffffff. */

__device__ bool differs(float a, float b)
{
	return __float_as_uint(a) != (b != b ? 0x7fffffffu : __float_as_uint(b));
}

__device__ float flush(float a) { return fabsf(a) < 0x1p-126f ? copysignf(0.0f, a) : a; }

/* Rounded as if exponents had no limit. */
__device__ float flushed_fma(float a, float b, float c)
{
	a = flush(a);
	b = flush(b);
	c = flush(c);

	float exact = fmaf(a, b, c), scaled;

	if (!(fabsf(exact) <= 0x1p-126f) || fabsf(a) > 0x1p60f || fabsf(c) > 0x1p60f)
		return flush(exact);
	scaled = fmaf(a * 0x1p60f, b, c * 0x1p60f);
	return fabsf(scaled) < 0x1p-66f ? copysignf(0.0f, scaled) : exact;
}

__device__ bool sums_differ(float a, float b, float c)
{
	float add, sub, mul, fma, zero;

	asm("add.ftz.f32 %0, %1, %2;" : "=f"(add) : "f"(a), "f"(b));
	asm("sub.rn.ftz.f32 %0, %1, %2;" : "=f"(sub) : "f"(a), "f"(b));
	asm("mul.ftz.f32 %0, %1, %2;" : "=f"(mul) : "f"(a), "f"(b));
	asm("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(fma) : "f"(a), "f"(b), "f"(c));
	asm("fma.rz.ftz.f32 %0, %1, %2, %3;" : "=f"(zero) : "f"(a), "f"(b), "f"(c));
	return differs(add, flush(flush(a) + flush(b))) || differs(sub, flush(flush(a) - flush(b)))
		|| differs(mul, flushed_fma(a, b, copysignf(0.0f, a) * copysignf(1.0f, b)))
		|| differs(fma, flushed_fma(a, b, c))
		|| differs(zero, flush(__fmaf_rz(flush(a), flush(b), flush(c))));
}

__device__ bool extremes_differ(float a, float b)
{
	float least, most, strict_least, strict_most, plain, strict;
	float f = flush(a), g = flush(b), nan = __uint_as_float(0x7fffffff);
	bool none = a == a && b == b;

	asm("min.ftz.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
	asm("max.ftz.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
	asm("min.ftz.NaN.f32 %0, %1, %2;" : "=f"(strict_least) : "f"(a), "f"(b));
	asm("max.NaN.ftz.f32 %0, %1, %2;" : "=f"(strict_most) : "f"(a), "f"(b));
	asm("max.f32 %0, %1, %2;" : "=f"(plain) : "f"(a), "f"(b));
	asm("max.NaN.f32 %0, %1, %2;" : "=f"(strict) : "f"(a), "f"(b));
	return differs(least, fminf(f, g)) || differs(most, fmaxf(f, g))
		|| differs(strict_least, none ? fminf(f, g) : nan)
		|| differs(strict_most, none ? fmaxf(f, g) : nan)
		|| differs(plain, fmaxf(a, b)) || differs(strict, none ? fmaxf(a, b) : nan);
}

__device__ bool quotients_differ(float a)
{
	float rcp, root;

	asm("rcp.rn.ftz.f32 %0, %1;" : "=f"(rcp) : "f"(a));
	asm("sqrt.rn.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
	return differs(rcp, flush(1.0f / flush(a))) || differs(root, sqrtf(flush(a)));
}

__device__ bool comparisons_differ(float a, float b)
{
	unsigned bits = 0, expected;
	float f = flush(a), g = flush(b);
	bool nan = a != a || b != b;

	asm("{ .reg .pred p, q; .reg .u32 t;\n"
	    "setp.lt.ftz.f32 p|q, %1, %2; selp.u32 t, 1, 0, p; or.b32 %0, %0, t;\n"
	    "selp.u32 t, 2, 0, q; or.b32 %0, %0, t;\n"
	    "setp.eq.ftz.f32 p, %1, %2; selp.u32 t, 4, 0, p; or.b32 %0, %0, t;\n"
	    "setp.neu.ftz.f32 p, %1, %2; selp.u32 t, 8, 0, p; or.b32 %0, %0, t; }"
	    : "+r"(bits) : "f"(a), "f"(b));
	expected = (f < g) | !(f < g) << 1 | (f == g) << 2 | (nan || f != g) << 3;
	return bits != expected;
}

__device__ bool directions_differ(float a, float b, float c)
{
	float add, sub, mul, fma, up, rcp, root;

	asm("add.rz.f32 %0, %1, %2;" : "=f"(add) : "f"(a), "f"(b));
	asm("sub.rm.f32 %0, %1, %2;" : "=f"(sub) : "f"(a), "f"(b));
	asm("mul.rp.f32 %0, %1, %2;" : "=f"(mul) : "f"(a), "f"(b));
	asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(fma) : "f"(a), "f"(b), "f"(c));
	asm("fma.rp.f32 %0, %1, %2, %3;" : "=f"(up) : "f"(a), "f"(b), "f"(c));
	asm("rcp.rm.f32 %0, %1;" : "=f"(rcp) : "f"(a));
	asm("sqrt.rp.f32 %0, %1;" : "=f"(root) : "f"(a));
	return differs(add, __fadd_rz(a, b)) || differs(sub, __fsub_rd(a, b))
		|| differs(mul, __fmul_ru(a, b)) || differs(fma, __fmaf_rz(a, b, c))
		|| differs(up, __fmaf_ru(a, b, c)) || differs(rcp, __frcp_rd(a))
		|| differs(root, __fsqrt_ru(a));
}

/* Each thread has other values of a; b and c are all of them. */
__global__ void flushes(const float *in, unsigned *wrong, int count)
{
	for (int i = threadIdx.x; i < count; i += blockDim.x)
		for (int k = 0; k < count * count; k++) {
			float a = in[i], b = in[k / count], c = in[k % count];

			atomicAdd(&wrong[0], sums_differ(a, b, c));
			if (k % count)
				continue;
			atomicAdd(&wrong[1], extremes_differ(a, b));
			atomicAdd(&wrong[2], quotients_differ(a));
			atomicAdd(&wrong[3], comparisons_differ(a, b));
			atomicAdd(&wrong[4], directions_differ(a, b, 0.5f * a));
		}
}
