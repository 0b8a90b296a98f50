/* mix.h - hashes two numbers to one pseudo-random number. */
#ifndef SIM_MIX_H
#define SIM_MIX_H

#include <stdint.h>

/* splitmix64's finaliser (Steele, Lea, Flood 2014). */
static inline uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t z = a + 0x9e3779b97f4a7c15u * (b + 1);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

#endif
