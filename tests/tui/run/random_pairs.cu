// random_pairs.cu - cuRAND's numbers two and four at a time are those of one after the other, and
// Philox itself is that of its authors (Random123's known answers).
#include <curand.h>
#include <curand_kernel.h>
#include <cstdio>
#include <vector>

__device__ int same(float a, float b)
{
	return __float_as_uint(a) == __float_as_uint(b);
}

template <class State> __device__ int pairs(State *state)
{
	State single = *state;
	float2 normal = curand_normal2(state);
	int equal = same(normal.x, curand_normal(&single)) & same(normal.y, curand_normal(&single));
	float2 log = curand_log_normal2(state, 0.5f, 2.0f);

	return equal & same(log.x, curand_log_normal(&single, 0.5f, 2.0f))
		& same(log.y, curand_log_normal(&single, 0.5f, 2.0f));
}

__device__ int fours(curandStatePhilox4_32_10_t *state)
{
	curandStatePhilox4_32_10_t two = *state;
	float4 normal = curand_normal4(state);
	float2 a = curand_normal2(&two), b = curand_normal2(&two);
	int equal = same(normal.x, a.x) & same(normal.y, a.y) & same(normal.z, b.x)
		& same(normal.w, b.y);
	float4 log = curand_log_normal4(state, 0.5f, 2.0f);

	a = curand_log_normal2(&two, 0.5f, 2.0f);
	b = curand_log_normal2(&two, 0.5f, 2.0f);
	return equal & same(log.x, a.x) & same(log.y, a.y) & same(log.z, b.x) & same(log.w, b.y);
}

__global__ void compare(int *equal, uint4 *known)
{
	curandStateXORWOW_t xorwow;
	curandStatePhilox4_32_10_t philox;

	curand_init(7, threadIdx.x, 0, &xorwow);
	curand_init(7, threadIdx.x, 0, &philox);
	equal[threadIdx.x] = pairs(&xorwow);
	equal[32 + threadIdx.x] = pairs(&philox);
	curand_init(9, threadIdx.x, 0, &philox);
	equal[64 + threadIdx.x] = fours(&philox);
	if (threadIdx.x == 0) {
		known[0] = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
		known[1] = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u),
						make_uint2(~0u, ~0u));
	}
}

// The host's generator works in its stream.
static int in_stream()
{
	std::vector<unsigned> first(100), second(100);
	curandGenerator_t generator;
	cudaStream_t stream;
	unsigned *numbers;
	int version = 0, failed;

	cudaMalloc(&numbers, 400);
	cudaStreamCreate(&stream);
	failed = curandGetVersion(&version) | (version < 10000);
	for (int i = 0; i < 2; i++) {
		failed |= curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
		failed |= curandSetStream(generator, i ? stream : nullptr);
		failed |= curandGenerate(generator, numbers, 100);
		cudaMemcpyAsync((i ? second : first).data(), numbers, 400, cudaMemcpyDeviceToHost,
				i ? stream : nullptr);
		cudaDeviceSynchronize();
		failed |= curandDestroyGenerator(generator);
	}
	cudaFree(numbers);
	cudaStreamDestroy(stream);
	return failed | (first != second) | (first[0] == first[1]);
}

int main()
{
	int equal[96], *d, count = 0;
	uint4 known[2], *k;

	cudaMalloc(&d, sizeof equal);
	cudaMalloc(&k, sizeof known);
	compare<<<1, 32>>>(d, k);
	cudaMemcpy(equal, d, sizeof equal, cudaMemcpyDeviceToHost);
	cudaMemcpy(known, k, sizeof known, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 96; i++)
		count += equal[i];
	printf("%d of 96 equal\n", count);
	for (const uint4 &x : known)
		printf("%08x %08x %08x %08x\n", x.x, x.y, x.z, x.w);
	printf("%d\n", in_stream());
	cudaFree(d);
	cudaFree(k);
}
