/* random_device.cu - cuRAND's device interface: sums over the bits of many doubles, and of Poisson
 * numbers of means whose way has no approximations. */
#include <curand_kernel.h>
#include <stdio.h>

enum { THREADS = 256, BLOCKS = 16, NUMBERS = 24 };

__device__ double one(curandStateXORWOW_t *s, int kind)
{
	switch (kind) {
	case 0: return curand_uniform_double(s);
	case 1: return curand_normal_double(s);
	case 2: return curand_normal2_double(s).y;
	case 3: return curand_log_normal_double(s, 0.5, 0.25);
	default: return curand_log_normal2_double(s, -1.0, 2.0).x;
	}
}

__device__ double one(curandStatePhilox4_32_10_t *s, int kind)
{
	switch (kind) {
	case 0: return curand_uniform_double(s);
	case 1: return curand_normal_double(s);
	case 2: return curand_normal2_double(s).y;
	case 3: return curand_log_normal_double(s, 0.5, 0.25);
	case 4: return curand_log_normal2_double(s, -1.0, 2.0).x;
	case 5: return curand_uniform2_double(s).y;
	case 6: return curand_uniform4_double(s).w;
	case 7: return curand_normal4_double(s).z;
	default: return curand_log_normal4_double(s, 0.0, 1.0).x;
	}
}

template <class State>
__global__ void sums(unsigned long long seed, int kind, unsigned long long *out)
{
	unsigned long long thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	State state;

	curand_init(seed, thread, thread % 5, &state);
	for (int i = 0; i < NUMBERS; i++)
		sum = sum * 6364136223846793005ull
			+ (unsigned long long)__double_as_longlong(one(&state, kind)) + 1;
	atomicAdd(out, sum);
}

/* Poisson numbers, one at a time. */
template <class State>
__global__ void poisson(unsigned long long seed, double mean, unsigned long long *out)
{
	unsigned long long thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	State state;

	curand_init(seed, thread, thread % 5, &state);
	for (int i = 0; i < NUMBERS; i++)
		sum = sum * 6364136223846793005ull + curand_poisson(&state, mean) + 1;
	atomicAdd(out, sum);
}

/* The same, four at a time. */
__global__ void poisson4(unsigned long long seed, double mean, unsigned long long *out)
{
	unsigned long long thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
	curandStatePhilox4_32_10_t state;

	curand_init(seed, thread, thread % 5, &state);
	for (int i = 0; i < NUMBERS; i++) {
		uint4 x = curand_poisson4(&state, mean);
		unsigned numbers[] = { x.x, x.y, x.z, x.w };

		for (unsigned number : numbers)
			sum = sum * 6364136223846793005ull + number + 1;
	}
	atomicAdd(out, sum);
}

template <class State> void print(const char *name, int kinds)
{
	unsigned long long *out;

	cudaMallocManaged(&out, sizeof *out);
	for (int kind = 0; kind < kinds; kind++)
		for (unsigned long long seed : { 0ull, 1234ull, 0x123456789abcdefull }) {
			*out = 0;
			sums<State><<<BLOCKS, THREADS>>>(seed, kind, out);
			cudaDeviceSynchronize();
			printf("%s %d %llx %016llx\n", name, kind, seed, *out);
		}
	cudaFree(out);
}

typedef void (*poisson_kernel)(unsigned long long, double, unsigned long long *);

static void print_poisson(const char *name, double mean, poisson_kernel kernel)
{
	unsigned long long *out;

	cudaMallocManaged(&out, sizeof *out);
	for (unsigned long long seed : { 0ull, 0x123456789abcdefull }) {
		*out = 0;
		kernel<<<BLOCKS, THREADS>>>(seed, mean, out);
		cudaDeviceSynchronize();
		printf("%s %g %llx %016llx\n", name, mean, seed, *out);
	}
	cudaFree(out);
}

int main(void)
{
	print<curandStateXORWOW_t>("xorwow", 5);
	print<curandStatePhilox4_32_10_t>("philox", 9);
	for (double mean : { 0.001, 0.5, 1.0, 3.7, 16.0, 63.9, 4000.5, 100000.0 }) {
		print_poisson("poisson xorwow", mean, poisson<curandStateXORWOW_t>);
		print_poisson("poisson philox", mean, poisson<curandStatePhilox4_32_10_t>);
		print_poisson("poisson4 philox", mean, poisson4);
	}
	return cudaGetLastError() != cudaSuccess;
}
