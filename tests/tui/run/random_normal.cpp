/* random_normal.cpp - normal numbers of cuRAND's generators of the host, in a file without kernels.
 *
 * Prints the status of each call and a hash of all numbers, with integers between the calls.
 * Without REFERENCE, also what is refused.
 */
#include <curand.h>
#include <curand_kernel.h>
#include <stdio.h>

enum { MAX = 90002 };
static unsigned numbers[MAX];
static unsigned long long sum;

/* FNV-1a over words */
static void add(int status, size_t count)
{
	printf(" %d", status);
	for (size_t i = 0; i < count && !status; i++)
		sum = (sum ^ numbers[i]) * 1099511628211ull;
}

static void fill(const char *name, curandRngType_t type, unsigned long long offset)
{
	float *normal = (float *)numbers;
	curandGenerator_t g;

	sum = 14695981039346656037ull;
	printf("%s %llu:", name, offset);
	add(curandCreateGeneratorHost(&g, type), 0);
	add(curandSetPseudoRandomGeneratorSeed(g, 0x123456789abcdef), 0);
	add(curandSetGeneratorOffset(g, offset), 0);
	add(curandGenerateNormal(g, normal, 100, 0.0f, 1.0f), 100);
	add(curandGenerateNormal(g, normal, MAX, 2.5f, 0.3f), MAX);
	add(curandGenerate(g, numbers, 9000), 9000);
	add(curandGenerateNormal(g, normal, 8194, -1.0f, 10.0f), 8194);
	if (type == CURAND_RNG_PSEUDO_XORWOW)
		add(curandGenerateNormal(g, normal, 33, 0.0f, 1.0f), 33);
	printf(" %016llx\n", sum);
	curandDestroyGenerator(g);
}

#ifndef REFERENCE
static int refuse(bool on_host, unsigned long long offset, size_t count)
{
	curandGenerator_t g;
	int status;

	if (on_host)
		curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
	else
		curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
	curandSetGeneratorOffset(g, offset);
	status = curandGenerateNormal(g, (float *)numbers, count, 0.0f, 1.0f);
	curandDestroyGenerator(g);
	return status;
}
#endif

int main()
{
	static_assert(sizeof(curandState) == 48 && sizeof(curandStatePhilox4_32_10_t) == 64,
		      "the states have cuRAND's size");

	for (unsigned long long offset : { 0, 6, 1002 }) {
		fill("xorwow", CURAND_RNG_PSEUDO_XORWOW, offset);
		fill("philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, offset);
	}
#ifndef REFERENCE
	printf("refused: %d %d %d\n", refuse(false, 0, 2), refuse(true, 3, 2), refuse(true, 0, 3));
#endif
	return 0;
}
