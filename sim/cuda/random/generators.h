/* generators.h - the generators XORWOW and Philox4_32_10 of cuRAND's device interface.
 *
 * Their states have cuRAND's fields, and their numbers are cuRAND's bit for bit: integers only. A
 * state also keeps the second of two normal numbers (random/distributions.h).
 */
#ifndef SIM_GENERATORS_H
#define SIM_GENERATORS_H

#include "sim/cuda/random/xorwow_jump.h"

/* --- XORWOW: Marsaglia's xorshift of five words, plus a counter --- */

struct curandStateXORWOW {
	unsigned d, v[5];
	int boxmuller_flag, boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateXORWOW curandState_t;

static inline unsigned curand(curandStateXORWOW_t *state)
{
	unsigned t = state->v[0] ^ state->v[0] >> 2;

	state->v[0] = state->v[1];
	state->v[1] = state->v[2];
	state->v[2] = state->v[3];
	state->v[3] = state->v[4];
	state->v[4] = state->v[4] ^ state->v[4] << 4 ^ t ^ t << 1;
	state->d += 362437;
	return state->v[4] + state->d;
}

static inline void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
	unsigned v[5];

	memcpy(v, state->v, sizeof v);
	ft_xorwow_skip(n, v);
	memcpy(state->v, v, sizeof v);
	state->d += 362437 * (unsigned)n;
}

/* The counter is the same after 2^67 steps. */
static inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
	unsigned v[5];

	memcpy(v, state->v, sizeof v);
	ft_xorwow_skip_subsequences(n, v);
	memcpy(state->v, v, sizeof v);
}

static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
			       unsigned long long offset, curandStateXORWOW_t *state)
{
	unsigned low = ((unsigned)seed ^ 0xaad26b49) * 1099087573;
	unsigned high = ((unsigned)(seed >> 32) ^ 0xf7dcefdd) * 2591861531;

	*state = curandStateXORWOW_t();
	state->d = 6615241 + high + low;
	state->v[0] = 123456789 + low;
	state->v[1] = 362436069 ^ low;
	state->v[2] = 521288629 + high;
	state->v[3] = 88675123 ^ high;
	state->v[4] = 5783321 + low;
	skipahead_sequence(subsequence, state);
	skipahead(offset, state);
}

/* --- Philox4_32_10: ten rounds on a counter of 128 bits --- */

/* STATE numbers are taken from `output`. */
struct curandStatePhilox4_32_10 {
	uint4 ctr, output;
	uint2 key;
	unsigned STATE;
	int boxmuller_flag, boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

static inline uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
	for (int round = 0; round < 10; round++) {
		uint64_t x = 0xd2511f53ull * c.x, z = 0xcd9e8d57ull * c.z;

		c = make_uint4((unsigned)(z >> 32) ^ c.y ^ key.x, (unsigned)z,
			       (unsigned)(x >> 32) ^ c.w ^ key.y, (unsigned)x);
		key.x += 0x9e3779b9;
		key.y += 0xbb67ae85;
	}
	return c;
}

/* Adds n to the counter. */
static inline void ft_philox_advance(curandStatePhilox4_32_10_t *state, unsigned long long n)
{
	unsigned low = (unsigned)n, high = (unsigned)(n >> 32);

	state->ctr.x += low;
	if (state->ctr.x < low)
		high++;
	state->ctr.y += high;
	if (state->ctr.y < high && ++state->ctr.z == 0)
		state->ctr.w++;
}

static inline void ft_philox_refill(curandStatePhilox4_32_10_t *state)
{
	state->output = curand_Philox4x32_10(state->ctr, state->key);
}

static inline unsigned curand(curandStatePhilox4_32_10_t *state)
{
	unsigned taken = state->STATE++;
	unsigned number = taken == 1 ? state->output.y : taken == 2 ? state->output.z
		: taken == 3 ? state->output.w : state->output.x;

	if (state->STATE == 4) {
		ft_philox_advance(state, 1);
		ft_philox_refill(state);
		state->STATE = 0;
	}
	return number;
}

static inline uint4 curand4(curandStatePhilox4_32_10_t *state)
{
	uint4 a = state->output, b;

	ft_philox_advance(state, 1);
	ft_philox_refill(state);
	b = state->output;
	switch (state->STATE) {
	case 1:  return make_uint4(a.y, a.z, a.w, b.x);
	case 2:  return make_uint4(a.z, a.w, b.x, b.y);
	case 3:  return make_uint4(a.w, b.x, b.y, b.z);
	default: return a;
	}
}

static inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	state->STATE += n & 3;
	n = n / 4 + state->STATE / 4;
	state->STATE %= 4;
	ft_philox_advance(state, n);
	ft_philox_refill(state);
}

static inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	unsigned low = (unsigned)n;

	state->ctr.z += low;
	state->ctr.w += (unsigned)(n >> 32) + (state->ctr.z < low);
	ft_philox_refill(state);
}

static inline void curand_init(unsigned long long seed, unsigned long long subsequence,
			       unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
	*state = curandStatePhilox4_32_10_t();
	state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
	skipahead_sequence(subsequence, state);
	skipahead(offset, state);
}

/* --- an integer as a float of (0, 1], on the host too --- */

static inline float ft_random_uniform(unsigned x) { return x * 0x1p-32f + 0x1p-33f; }

#endif
