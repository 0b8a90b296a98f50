/* simd.cu - CUDA's functions on halves and bytes of words. Each kernel writes all results for a
 * pair of words per thread; cases.py computes them in Python. */

__global__ void parts2(const unsigned *x, const unsigned *y, unsigned *out)
{
	unsigned t = threadIdx.x, a = x[t], b = y[t], i = 40 * t;

	out[i++] = __vabs2(a);
	out[i++] = __vabsss2(a);
	out[i++] = __vneg2(a);
	out[i++] = __vnegss2(a);
	out[i++] = __vaddss2(a, b);
	out[i++] = __vaddus2(a, b);
	out[i++] = __vsub2(a, b);
	out[i++] = __vsubss2(a, b);
	out[i++] = __vsubus2(a, b);
	out[i++] = __vabsdiffs2(a, b);
	out[i++] = __vabsdiffu2(a, b);
	out[i++] = __vavgu2(a, b);
	out[i++] = __vhaddu2(a, b);
	out[i++] = __vmaxs2(a, b);
	out[i++] = __vmaxu2(a, b);
	out[i++] = __vmins2(a, b);
	out[i++] = __vminu2(a, b);
	out[i++] = __vsads2(a, b);
	out[i++] = __vsadu2(a, b);
	out[i++] = __vcmpeq2(a, b);
	out[i++] = __vcmpne2(a, b);
	out[i++] = __vcmpges2(a, b);
	out[i++] = __vcmpgeu2(a, b);
	out[i++] = __vcmpgts2(a, b);
	out[i++] = __vcmpgtu2(a, b);
	out[i++] = __vcmples2(a, b);
	out[i++] = __vcmpleu2(a, b);
	out[i++] = __vcmplts2(a, b);
	out[i++] = __vcmpltu2(a, b);
	out[i++] = __vseteq2(a, b);
	out[i++] = __vsetne2(a, b);
	out[i++] = __vsetges2(a, b);
	out[i++] = __vsetgeu2(a, b);
	out[i++] = __vsetgts2(a, b);
	out[i++] = __vsetgtu2(a, b);
	out[i++] = __vsetles2(a, b);
	out[i++] = __vsetleu2(a, b);
	out[i++] = __vsetlts2(a, b);
	out[i++] = __vsetltu2(a, b);
	out[i++] = __vadd2(a, b);
	__builtin_assume(i > 0);
}

__global__ void parts4(const unsigned *x, const unsigned *y, unsigned *out)
{
	unsigned t = threadIdx.x, a = x[t], b = y[t], i = 40 * t;

	out[i++] = __vabs4(a);
	out[i++] = __vabsss4(a);
	out[i++] = __vneg4(a);
	out[i++] = __vnegss4(a);
	out[i++] = __vaddss4(a, b);
	out[i++] = __vaddus4(a, b);
	out[i++] = __vsub4(a, b);
	out[i++] = __vsubss4(a, b);
	out[i++] = __vsubus4(a, b);
	out[i++] = __vabsdiffs4(a, b);
	out[i++] = __vabsdiffu4(a, b);
	out[i++] = __vavgu4(a, b);
	out[i++] = __vhaddu4(a, b);
	out[i++] = __vmaxs4(a, b);
	out[i++] = __vmaxu4(a, b);
	out[i++] = __vmins4(a, b);
	out[i++] = __vminu4(a, b);
	out[i++] = __vsads4(a, b);
	out[i++] = __vsadu4(a, b);
	out[i++] = __vcmpeq4(a, b);
	out[i++] = __vcmpne4(a, b);
	out[i++] = __vcmpges4(a, b);
	out[i++] = __vcmpgeu4(a, b);
	out[i++] = __vcmpgts4(a, b);
	out[i++] = __vcmpgtu4(a, b);
	out[i++] = __vcmples4(a, b);
	out[i++] = __vcmpleu4(a, b);
	out[i++] = __vcmplts4(a, b);
	out[i++] = __vcmpltu4(a, b);
	out[i++] = __vseteq4(a, b);
	out[i++] = __vsetne4(a, b);
	out[i++] = __vsetges4(a, b);
	out[i++] = __vsetgeu4(a, b);
	out[i++] = __vsetgts4(a, b);
	out[i++] = __vsetgtu4(a, b);
	out[i++] = __vsetles4(a, b);
	out[i++] = __vsetleu4(a, b);
	out[i++] = __vsetlts4(a, b);
	out[i++] = __vsetltu4(a, b);
	out[i++] = __vadd4(a, b);
	__builtin_assume(i > 0);
}
