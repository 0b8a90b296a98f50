/* lab_random.h - numbers from a seed, the same on every machine, and the seeds of cases. */
#ifndef LAB_RANDOM_H
#define LAB_RANDOM_H

#include <stdint.h>

struct lab_random {
	uint64_t state;
};

/* 64 random bits (splitmix64). */
uint64_t random_bits(struct lab_random *);
double random_uniform(struct lab_random *);             /* from 0 to below 1 */
int64_t random_integer(struct lab_random *, int64_t from, int64_t to);     /* both included */
/* Mean 0, deviation 1: the sum of 12 uniform numbers less 6, which needs no function whose last bit
 * depends on the C library. */
double random_normal(struct lab_random *);

/* XXH64(text, seed). */
uint64_t seed_from(const char *text, uint64_t seed);
/* Of case `index` of a family in a part: XXH64("PART/FAMILY/INDEX", seed). */
uint64_t seed_of_case(const char *part, const char *family, int index, uint64_t seed);

#endif
