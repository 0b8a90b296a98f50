/* complex.cu - complex numbers: products and quotients round after every operation. */
#include <cuComplex.h>

__global__ void single(const cuFloatComplex *in, cuFloatComplex *out, float *magnitude)
{
	int i = threadIdx.x;
	cuFloatComplex x = in[2 * i], y = in[2 * i + 1];

	out[4 * i] = cuCmulf(x, y);
	out[4 * i + 1] = cuCdivf(x, y);
	out[4 * i + 2] = cuCfmaf(x, y, cuConjf(x));
	out[4 * i + 3] = cuCsubf(cuCaddf(x, y), make_cuComplex(1.0f, cuCimagf(y)));
	magnitude[i] = cuCabsf(x);
}

__global__ void twice(const cuDoubleComplex *in, cuDoubleComplex *out, double *magnitude)
{
	int i = threadIdx.x;
	cuDoubleComplex x = in[2 * i], y = in[2 * i + 1];

	out[4 * i] = cuCmul(x, y);
	out[4 * i + 1] = cuCdiv(x, y);
	out[4 * i + 2] = cuCfma(x, y, cuConj(x));
	out[4 * i + 3] = cuCsub(cuCadd(x, y), make_cuDoubleComplex(1.0, cuCimag(y)));
	magnitude[i] = cuCabs(x);
}
