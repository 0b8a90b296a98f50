/* host_generator.h - cuRAND's generators, whose numbers the host computes; see curand.h.
 *
 * The numbers have the order of cuRAND 10.4 on an H200, which is that of its generators of the
 * host: XORWOW takes one of each of 4,096 subsequences in turn, Philox four of each of 65,536.
 * Numbers for the device are copied there in the generator's stream, and a trace has them as an
 * upload. Normal numbers are only those of cuRAND's generators of the host, with the C library's
 * functions: a generator of the device has the GPU's, which are not measured. Other generators and
 * orders are refused when they are asked for, other distributions when the program is compiled.
 * Part of the host code of users' programs.
 */
#ifndef SIM_HOST_GENERATOR_H
#define SIM_HOST_GENERATOR_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/cuda/random/generators.h"

#define FT_RANDOM static inline __attribute__((unused))

enum { FT_XORWOW_LANES = 4096, FT_PHILOX_LANES = 65536 };

struct curandGenerator_st {
	curandRngType_t type;
	bool on_host, begun;            /* begun: `lanes` are at `position` */
	unsigned long long seed, position;
	cudaStream_t stream;
	curandStateXORWOW_t lanes[FT_XORWOW_LANES];
};

FT_RANDOM curandStatus_t ft_random_create(curandGenerator_t *out, curandRngType_t type,
					  bool on_host)
{
	if (type == CURAND_RNG_PSEUDO_DEFAULT)
		type = CURAND_RNG_PSEUDO_XORWOW;
	if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
		fprintf(stderr, "cuRAND: generator %d is not supported: expected XORWOW or "
			"Philox4_32_10\n", (int)type);
		return CURAND_STATUS_TYPE_ERROR;
	}
	*out = (curandGenerator_t)calloc(1, sizeof **out);
	if (!*out)
		return CURAND_STATUS_ALLOCATION_FAILED;
	(*out)->type = type;
	(*out)->on_host = on_host;
	return CURAND_STATUS_SUCCESS;
}

FT_RANDOM curandStatus_t curandCreateGenerator(curandGenerator_t *out, curandRngType_t type)
	{ return ft_random_create(out, type, false); }
FT_RANDOM curandStatus_t curandCreateGeneratorHost(curandGenerator_t *out, curandRngType_t type)
	{ return ft_random_create(out, type, true); }

FT_RANDOM curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	free(g);
	return CURAND_STATUS_SUCCESS;
}

FT_RANDOM curandStatus_t curandGetVersion(int *version)
{
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

#define FT_RANDOM_SETTING(name, type, field) \
	FT_RANDOM curandStatus_t name(curandGenerator_t g, type value) \
	{ \
		if (!g) \
			return CURAND_STATUS_NOT_INITIALIZED; \
		g->field = value; \
		g->begun = false; \
		return CURAND_STATUS_SUCCESS; \
	}
FT_RANDOM_SETTING(curandSetPseudoRandomGeneratorSeed, unsigned long long, seed)
FT_RANDOM_SETTING(curandSetGeneratorOffset, unsigned long long, position)
FT_RANDOM_SETTING(curandSetStream, cudaStream_t, stream)
#undef FT_RANDOM_SETTING

/* The default, the best and the legacy order are one. */
FT_RANDOM curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (order == CURAND_ORDERING_PSEUDO_BEST || order == CURAND_ORDERING_PSEUDO_DEFAULT
	    || order == CURAND_ORDERING_PSEUDO_LEGACY)
		return CURAND_STATUS_SUCCESS;
	fprintf(stderr, "cuRAND: ordering %d is not supported: expected the default, best or "
		"legacy\n", (int)order);
	return CURAND_STATUS_OUT_OF_RANGE;
}

/* --- numbers --- */

FT_RANDOM void ft_random_begin(curandGenerator_t g)
{
	for (unsigned i = 0; i < FT_XORWOW_LANES; i++)
		curand_init(g->seed, i, (g->position + FT_XORWOW_LANES - 1 - i) / FT_XORWOW_LANES,
			    &g->lanes[i]);
	g->begun = true;
}

FT_RANDOM void ft_random_fill(curandGenerator_t g, unsigned *to, size_t count)
{
	curandStatePhilox4_32_10_t state;

	if (g->type == CURAND_RNG_PSEUDO_XORWOW && !g->begun)
		ft_random_begin(g);
	for (size_t i = 0; i < count; i++) {
		unsigned long long at = g->position++, turn = at / (4 * FT_PHILOX_LANES);

		if (g->type == CURAND_RNG_PSEUDO_XORWOW) {
			to[i] = curand(&g->lanes[at % FT_XORWOW_LANES]);
			continue;
		}
		if (i == 0 || at % 4 == 0)
			curand_init(g->seed, at / 4 % FT_PHILOX_LANES, 4 * turn + at % 4, &state);
		to[i] = curand(&state);
	}
}

/* Writes the numbers, each as `convert` makes 4 bytes of it. */
template <class F>
FT_RANDOM curandStatus_t ft_random_write(curandGenerator_t g, void *to, size_t count, F convert)
{
	unsigned *numbers;
	bool good = true;

	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	numbers = (unsigned *)malloc(count ? count * sizeof *numbers : 1);
	if (!numbers)
		return CURAND_STATUS_ALLOCATION_FAILED;
	ft_random_fill(g, numbers, count);
	for (size_t i = 0; i < count; i++)
		numbers[i] = convert(numbers[i]);
	if (g->on_host)
		memcpy(to, numbers, count * sizeof *numbers);
	else
		good = cudaMemcpyAsync(to, numbers, count * sizeof *numbers, cudaMemcpyDefault,
				       g->stream) == cudaSuccess
			&& cudaStreamSynchronize(g->stream) == cudaSuccess;
	free(numbers);
	return good ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

FT_RANDOM curandStatus_t curandGenerate(curandGenerator_t g, unsigned *to, size_t count)
	{ return ft_random_write(g, to, count, [](unsigned x) { return x; }); }

FT_RANDOM curandStatus_t curandGenerateUniform(curandGenerator_t g, float *to, size_t count)
{
	return ft_random_write(g, to, count, [](unsigned x) {
		float uniform = ft_random_uniform(x);

		memcpy(&x, &uniform, sizeof x);
		return x;
	});
}

/* --- normal numbers: two integers of one lane make a pair --- */

/* Box and Muller's; every operation rounds. */
FT_RANDOM __attribute__((noinline, optimize("fp-contract=off")))
void ft_random_pair(unsigned x, unsigned y, float mean, float stddev, float *to)
{
	const float scale = 0x1p-32f * 6.2831855f;      /* 2 pi */
	float angle = y * scale + scale / 2;
	float radius = sqrtf(-2.0f * logf(ft_random_uniform(x)));

	to[0] = mean + stddev * (sinf(angle) * radius);
	to[1] = mean + stddev * (cosf(angle) * radius);
}

/* XORWOW's position counts pairs then; both numbers of a pair are of its lane. */
FT_RANDOM void ft_random_normals(curandGenerator_t g, float *to, size_t count, float mean,
				 float stddev)
{
	unsigned two[2];

	if (g->type == CURAND_RNG_PSEUDO_XORWOW && !g->begun)
		ft_random_begin(g);
	for (size_t i = 0; i < count; i += 2) {
		if (g->type == CURAND_RNG_PSEUDO_XORWOW) {
			curandStateXORWOW_t *lane = &g->lanes[g->position++ % FT_XORWOW_LANES];

			two[0] = curand(lane);
			two[1] = curand(lane);
		} else {
			ft_random_fill(g, two, 2);
		}
		ft_random_pair(two[0], two[1], mean, stddev, to + i);
	}
}

FT_RANDOM curandStatus_t curandGenerateNormal(curandGenerator_t g, float *to, size_t count,
					      float mean, float stddev)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (!g->on_host) {
		fprintf(stderr, "cuRAND: curandGenerateNormal() of a generator of the device is "
			"not supported: expected one of curandCreateGeneratorHost()\n");
		return CURAND_STATUS_TYPE_ERROR;
	}
	if (g->type == CURAND_RNG_PSEUDO_XORWOW && count % 2 != 0)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	if (count % 2 != 0
	    || (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10 && g->position % 2 != 0)) {
		fprintf(stderr, "cuRAND: %zu normal numbers of Philox4_32_10 from offset %llu are "
			"not supported: expected an even number from an even offset\n", count,
			g->position);
		return CURAND_STATUS_OUT_OF_RANGE;
	}
	ft_random_normals(g, to, count, mean, stddev);
	return CURAND_STATUS_SUCCESS;
}

/* --- what is not there --- */

#define FT_NO_RANDOM(name, ...) \
	curandStatus_t name(curandGenerator_t, __VA_ARGS__) \
		__attribute__((error(#name "() is not supported: expected curandGenerate(), " \
				     "curandGenerateUniform() or curandGenerateNormal()")));
FT_NO_RANDOM(curandGenerateLongLong, unsigned long long *, size_t)
FT_NO_RANDOM(curandGenerateUniformDouble, double *, size_t)
FT_NO_RANDOM(curandGenerateNormalDouble, double *, size_t, double, double)
FT_NO_RANDOM(curandGenerateLogNormal, float *, size_t, float, float)
FT_NO_RANDOM(curandGenerateLogNormalDouble, double *, size_t, double, double)
FT_NO_RANDOM(curandGeneratePoisson, unsigned *, size_t, double)
#undef FT_NO_RANDOM

#endif
