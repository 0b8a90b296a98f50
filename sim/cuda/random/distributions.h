/* distributions.h - uniform, normal and log-normal numbers of cuRAND's device interface.
 *
 * Normal numbers are Box and Muller's, with the GPU's logf and __sincosf, or log and sincospi of
 * double, which has the operations of sinpi and cospi. Every operation rounds, as with nvcc
 * -fmad=false: by default nvcc fuses multiplication and addition of the angle.
 */
#ifndef SIM_DISTRIBUTIONS_H
#define SIM_DISTRIBUTIONS_H

#include "sim/cuda/random/generators.h"

/* --- uniform: (0, 1] --- */

/* Of 53 bits: all of x, and of y those that are left. */
static inline double ft_random_uniform_double(unsigned x, unsigned y)
{
	return (x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}

template <class State> static inline float curand_uniform(State *state)
{
	return ft_random_uniform(curand(state));
}

static inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);

	return make_float4(ft_random_uniform(x.x), ft_random_uniform(x.y), ft_random_uniform(x.z),
			   ft_random_uniform(x.w));
}

static inline double curand_uniform_double(curandStateXORWOW_t *state)
{
	unsigned x = curand(state);

	return ft_random_uniform_double(x, curand(state));
}

/* Of one integer, unlike the pair below. */
static inline double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
	return curand(state) * 0x1p-32 + 0x1p-32;
}

static inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);

	return make_double2(ft_random_uniform_double(x.x, x.y),
			    ft_random_uniform_double(x.z, x.w));
}

static inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
	double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);

	return make_double4(a.x, a.y, b.x, b.y);
}

/* --- normal --- */

static inline float2 ft_random_normal(unsigned x, unsigned y)
{
	const float scale = 0x1p-32f * 6.2831855f;      /* 2 pi */
	float angle = y * scale + scale / 2;
	float radius = sqrtf(-2.0f * FT_MODEL(cuda_logf, ft_random_uniform(x)));

	return make_float2(FT_MODEL(sin_approx, angle) * radius,
			   FT_MODEL(cos_approx, angle) * radius);
}

template <class State> static inline float2 curand_normal2(State *state)
{
	unsigned x = curand(state);

	return ft_random_normal(x, curand(state));
}

static inline float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	float2 a = ft_random_normal(x.x, x.y), b = ft_random_normal(x.z, x.w);

	return make_float4(a.x, a.y, b.x, b.y);
}

/* Of four integers; the angle is in units of pi. */
template <class State> static inline double2 curand_normal2_double(State *state)
{
	unsigned x = curand(state), y = curand(state), z = curand(state);
	double u = ft_random_uniform_double(x, y);
	double angle = ft_random_uniform_double(z, curand(state)) * 2.0;
	double radius = __builtin_sqrt(-2.0 * FT_MODEL(ft_double_log, u));

	return make_double2(FT_MODEL(ft_double_sinpi, angle) * radius,
			    FT_MODEL(ft_double_cospi, angle) * radius);
}

static inline double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
	double2 a = curand_normal2_double(state), b = curand_normal2_double(state);

	return make_double4(a.x, a.y, b.x, b.y);
}

/* Every other call returns the second number of a pair; `flag` says whose it is. */
template <class State>
static inline float ft_random_first(State *state, int flag, float2 (*pair)(State *, float, float),
				    float mean, float deviation)
{
	float2 numbers;

	if (state->boxmuller_flag == flag) {
		state->boxmuller_flag = 0;
		return state->boxmuller_extra;
	}
	numbers = pair(state, mean, deviation);
	state->boxmuller_extra = numbers.y;
	state->boxmuller_flag = flag;
	return numbers.x;
}

template <class State>
static inline double ft_random_first_double(State *state, int flag,
					    double2 (*pair)(State *, double, double), double mean,
					    double deviation)
{
	double2 numbers;

	if (state->boxmuller_flag_double == flag) {
		state->boxmuller_flag_double = 0;
		return state->boxmuller_extra_double;
	}
	numbers = pair(state, mean, deviation);
	state->boxmuller_extra_double = numbers.y;
	state->boxmuller_flag_double = flag;
	return numbers.x;
}

template <class State> static inline float2 ft_random_standard(State *state, float, float)
{
	return curand_normal2(state);
}

template <class State> static inline float curand_normal(State *state)
{
	return ft_random_first(state, 1, ft_random_standard<State>, 0.0f, 1.0f);
}

template <class State>
static inline double2 ft_random_standard_double(State *state, double, double)
{
	return curand_normal2_double(state);
}

template <class State> static inline double curand_normal_double(State *state)
{
	return ft_random_first_double(state, 1, ft_random_standard_double<State>, 0.0, 1.0);
}

/* --- log-normal --- */

template <class State>
static inline float2 curand_log_normal2(State *state, float mean, float stddev)
{
	float2 v = curand_normal2(state);

	return make_float2(FT_MODEL(ex2_expf, mean + stddev * v.x),
			   FT_MODEL(ex2_expf, mean + stddev * v.y));
}

static inline float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
					float stddev)
{
	float4 v = curand_normal4(state);

	return make_float4(FT_MODEL(ex2_expf, mean + stddev * v.x),
			   FT_MODEL(ex2_expf, mean + stddev * v.y),
			   FT_MODEL(ex2_expf, mean + stddev * v.z),
			   FT_MODEL(ex2_expf, mean + stddev * v.w));
}

template <class State> static inline float curand_log_normal(State *state, float mean, float stddev)
{
	return ft_random_first(state, 2, curand_log_normal2<State>, mean, stddev);
}

template <class State>
static inline double2 curand_log_normal2_double(State *state, double mean, double stddev)
{
	double2 v = curand_normal2_double(state);

	return make_double2(FT_MODEL(ft_double_exp, mean + stddev * v.x),
			    FT_MODEL(ft_double_exp, mean + stddev * v.y));
}

static inline double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean,
						double stddev)
{
	double2 a = curand_log_normal2_double(state, mean, stddev);
	double2 b = curand_log_normal2_double(state, mean, stddev);

	return make_double4(a.x, a.y, b.x, b.y);
}

template <class State>
static inline double curand_log_normal_double(State *state, double mean, double stddev)
{
	return ft_random_first_double(state, 2, curand_log_normal2_double<State>, mean, stddev);
}

#endif
