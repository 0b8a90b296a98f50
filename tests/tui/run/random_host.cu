/* random_host.cu - cuRAND's generators in host code: sums over their numbers. */
#include <curand.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call) do { int error = (call); \
	if (error) { printf("%s: error %d\n", #call, error); return 1; } } while (0)

enum { MAX = 262146 };
static const size_t sizes[] = { 10000, 5002, 4098, 2, MAX };
static unsigned char bytes[4 * (10000 + 5002 + 4098 + 2 + MAX)];

/* FNV-1a */
static unsigned long long hash(void)
{
	unsigned long long sum = 14695981039346656037ull;

	for (unsigned char byte : bytes)
		sum = (sum ^ byte) * 1099511628211ull;
	return sum;
}

static int fill(const char *name, curandRngType_t type, bool device, bool uniform,
		unsigned long long seed, unsigned long long offset)
{
	unsigned char *at = bytes;
	curandGenerator_t g;
	void *memory;

	CHECK(cudaMalloc(&memory, 4 * MAX));
	CHECK(device ? curandCreateGenerator(&g, type) : curandCreateGeneratorHost(&g, type));
	if (seed)
		CHECK(curandSetPseudoRandomGeneratorSeed(g, seed));
	if (offset)
		CHECK(curandSetGeneratorOffset(g, offset));
	CHECK(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY));
	for (size_t size : sizes) {
		void *to = device ? memory : at;

		if (uniform)
			CHECK(curandGenerateUniform(g, (float *)to, size));
		else
			CHECK(curandGenerate(g, (unsigned *)to, size));
		if (device)
			CHECK(cudaMemcpy(at, memory, 4 * size, cudaMemcpyDeviceToHost));
		at += 4 * size;
	}
	CHECK(curandDestroyGenerator(g));
	CHECK(cudaFree(memory));
	printf("%s %s %llx %llu %016llx\n", name, uniform ? "uniform" : "integer", seed, offset,
	       hash());
	return 0;
}

int main()
{
	static const struct { const char *name; curandRngType_t type; } types[] = {
		{ "xorwow", CURAND_RNG_PSEUDO_DEFAULT },
		{ "philox", CURAND_RNG_PSEUDO_PHILOX4_32_10 },
	};
	curandGenerator_t g;

	for (auto t : types)
		for (int uniform = 0; uniform < 2; uniform++)
			if (fill(t.name, t.type, uniform, uniform, 0, 0)
			    || fill(t.name, t.type, true, uniform, 1234, 0)
			    || fill(t.name, t.type, false, uniform, 0x123456789abcdef, 1003))
				return 1;
	printf("%d\n", curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
	return 0;
}
