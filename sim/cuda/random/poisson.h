/* poisson.h - Poisson numbers of cuRAND's device interface.
 *
 * cuRAND has three ways: products of uniform numbers (Knuth) for a mean below 64, normal numbers
 * for one above 4000, and rejection by an approximate incomplete gamma function between. The
 * approximations of the third are the GPU's instructions, modelled bit for bit. Every operation
 * rounds, as with nvcc -fmad=false. Generators whose state gives one number per call, and
 * curand_discrete(), are left out.
 */
#ifndef SIM_POISSON_H
#define SIM_POISSON_H

#include "sim/cuda/random/distributions.h"

/* --- a mean below 64 --- */

/* Counts uniform numbers until their product is at most exp(-mean). */
template <class State> static inline unsigned ft_poisson_product(State *state, float mean)
{
	float product = FT_MODEL(ex2_expf, mean);
	unsigned drawn = 0;

	do {
		drawn++;
		product *= curand_uniform(state);
	} while (product > 1.0f);
	return drawn - 1;
}

/* --- a mean from 64 to 4000 --- */

static inline float ft_poisson_exp(float x)
{
	return ex2_approx((float)(x * 1.4426950408889634));
}

static inline float ft_poisson_log(float x)
{
	return (float)(lg2_approx(x) * 0.6931471805599453);
}

/* log((n - 1)!): Stirling's series with the coefficients of Hart's approximation 5404. */
static inline double ft_poisson_lgamma(int n)
{
	const double small[] = { 0, 0, 0.6931471805599453, 1.791759469228055, 3.1780538303479458,
				 4.787491742782046, 6.579251212010101, 8.525161361065415 };
	double x = fabsf((float)n), inverse, square, sum, half;

	if (n <= 8)
		return n >= 1 ? small[n - 1] : 0;       /* below 1 only for what is rejected */
	inverse = 1.0 / x;
	square = inverse * inverse;
	sum = -0.1633436431e-2;
	sum = sum * square + 0.83645878922e-3;
	sum = sum * square - 0.5951896861197e-3;
	sum = sum * square + 0.793650576493454e-3;
	sum = sum * square - 0.277777777735865004e-2;
	sum = sum * square + 0.833333333333331018375e-1;
	sum = sum * inverse + 0.918938533204672;
	half = 0.5 * FT_MODEL(ft_double_log, x) * (x - 0.5);
	return half - x + (half + sum);
}

/* What does not change while numbers of one mean are drawn. */
struct ft_poisson_gamma { float mean, log_mean, alpha, beta; };

static inline float ft_poisson_slope(float mean, float from, float by)
{
	return by * rsqrt_approx(mean - from) + 0.00025361074907033f;
}

static inline ft_poisson_gamma ft_poisson_gamma_of(float mean)
{
	const float beta = 0.21096734870196546f * rsqrt_approx(mean - 1.97381164089999420f) +
			   0.94201734077887530f;

	return { mean, ft_poisson_log(mean),
		 ft_poisson_slope(mean, 0.12400979329415655f, 1.43248035075540910f), beta };
}

/* The incomplete gamma function, approximated, and its inverse. */
static inline float ft_poisson_share(const ft_poisson_gamma *of, float x)
{
	float t = 1.0f + ft_poisson_exp(of->alpha * (of->mean - x) - of->beta);

	return rcp_approx(t * t);
}

static inline float ft_poisson_inverse(const ft_poisson_gamma *of, float share)
{
	float t = of->beta + ft_poisson_log(rsqrt_approx(share) - 1.0f);

	return -t * rcp_approx(of->alpha) + of->mean;
}

template <class State>
static inline unsigned ft_poisson_reject(State *state, const ft_poisson_gamma *of)
{
	float x, height, bound, density;

	do {
		x = floorf(ft_poisson_inverse(of, curand_uniform(state)));
		height = curand_uniform(state);
		bound = (ft_poisson_share(of, x + 1.0f) - ft_poisson_share(of, x)) * 1.3f;
		density = ft_poisson_exp(-of->mean + x * of->log_mean -
					 (float)ft_poisson_lgamma(__float2int_rz(1.0f + x)));
	} while (!(height * bound < density && bound >= 1e-20));
	return __float2uint_rz(x);
}

/* --- a mean above 4000, and all --- */

static inline unsigned ft_poisson_round(double mean, double normal)
{
	return __double2uint_rz(__builtin_sqrt(mean) * normal + mean + 0.5);
}

template <class State> static inline unsigned curand_poisson(State *state, double lambda)
{
	ft_poisson_gamma of;

	if (lambda < 64)
		return ft_poisson_product(state, (float)lambda);
	if (lambda > 4000)
		return ft_poisson_round(lambda, curand_normal_double(state));
	of = ft_poisson_gamma_of((float)lambda);
	return ft_poisson_reject(state, &of);
}

/* Four normal numbers at once leave the second of an earlier pair where it is. */
static inline uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
	double4 normal;
	uint4 n;

	if (lambda > 4000) {
		normal = curand_normal4_double(state);
		return make_uint4(ft_poisson_round(lambda, normal.x),
				  ft_poisson_round(lambda, normal.y),
				  ft_poisson_round(lambda, normal.z),
				  ft_poisson_round(lambda, normal.w));
	}
	n.x = curand_poisson(state, lambda);
	n.y = curand_poisson(state, lambda);
	n.z = curand_poisson(state, lambda);
	n.w = curand_poisson(state, lambda);
	return n;
}

#endif
