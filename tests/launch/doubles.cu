/* doubles.cu - double intrinsics and conversions to 64 bits. */
__global__ void doubles(const double *in, double *out, long long *wide)
{
	int i = threadIdx.x, n = 8;
	double x = in[i], whole;

	out[i] = __dadd_rn(x, 1.0) + __dsub_rn(x, 2.0);
	out[n + i] = __dmul_rn(x, 3.0) + __ddiv_rn(x, 4.0) + __drcp_rn(2.0) + __dsqrt_rn(x * x);
	out[2 * n + i] = __fma_rn(x, x, 1.0) + scalbn(x, 3) + ilogb(x) + logb(x);
	out[3 * n + i] = modf(x, &whole) + 2 * whole;
	wide[i] = __double2ll_rz(x);
	wide[n + i] = __double2ll_rn(x) + __double2ll_rd(x) + __double2ll_ru(x);
	wide[2 * n + i] = (long long)__double2ull_rz(x);
	wide[3 * n + i] = __double2uint_rn(x);
	wide[4 * n + i] = __float2ll_rn((float)x) + (long long)__ll2double_rn(i);
}
