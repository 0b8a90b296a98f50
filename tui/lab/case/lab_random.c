/* lab_random.c - the random numbers of labs; see lab_random.h. */
#include "tui/lab/case/lab_random.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/xalloc.h"

uint64_t random_bits(struct lab_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

double random_uniform(struct lab_random *r)
{
	return (double)(random_bits(r) >> 11) * 0x1p-53;
}

int64_t random_integer(struct lab_random *r, int64_t from, int64_t to)
{
	uint64_t count = (uint64_t)to - (uint64_t)from + 1;

	return from + (int64_t)(count ? random_bits(r) % count : random_bits(r));
}

double random_normal(struct lab_random *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_uniform(r);
	return sum;
}

uint64_t seed_from(const char *text, uint64_t seed)
{
	return XXH64(text, strlen(text), seed);
}

uint64_t seed_of_case(const char *part, const char *family, int index, uint64_t seed)
{
	char *text = xasprintf("%s/%s/%d", part, family, index);

	seed = seed_from(text, seed);
	free(text);
	return seed;
}
