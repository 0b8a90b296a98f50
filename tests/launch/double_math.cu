/* double_math.cu - double functions with a model, where the result is known; mixed arguments. */
#include <cmath>

__global__ void double_math(const double *x, double *out, float f, int n)
{
	int i = threadIdx.x, step = blockDim.x;

	out[i] = exp2(x[i]);
	out[step + i] = exp10(x[i]);
	out[2 * step + i] = std::pow(x[i], n);
	out[3 * step + i] = hypot(3 * x[i], 4 * x[i]);
	out[4 * step + i] = cbrt(x[i] * x[i] * x[i]);
	out[5 * step + i] = x[i] == 0.0 ? std::atan2(x[i], -1.0) : atan2(x[i], 0.0);
	if (i == 0)
		out[6 * step] = pow(f, 2) - 0.25;
	else if (i == 1)
		out[6 * step + 1] = sin(0.0) + std::log(1.0) + tan(0);
	else if (i == 2)
		out[6 * step + 2] = cos(0.0) * exp(0.0);
	else if (i == 3)
		out[6 * step + 3] = log2(16.0) + erf(0.0) + sinh(0.0);
	else if (i == 4)
		out[6 * step + 4] = rsqrt(4.0) + asin(0.0);
	else
		out[6 * step + 5] = std::cosh(0.0) + rcbrt(8.0) - rhypot(0.0, 2.0)
			+ std::erfc(f * 30.0);
}
