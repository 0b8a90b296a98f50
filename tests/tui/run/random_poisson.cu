/* random_poisson.cu - Poisson numbers by all three of cuRAND's ways, one by one and by four.
 *
 * Each line: the generator, the mean, a hash of the numbers and of an integer drawn after them, the
 * first number, and the average. With REFERENCE, it runs on the host after cuRAND's own header.
 */
#ifndef REFERENCE
#include <curand_kernel.h>
#endif
#include <cstdio>

enum { THREADS = 64, NUMBERS = 32, EACH = NUMBERS + 1 };

template <class State> __device__ void some(State *state, double mean, unsigned *out)
{
	for (int i = 0; i < NUMBERS; i++)
		out[i] = curand_poisson(state, mean);
}

__device__ void fours(curandStatePhilox4_32_10_t *state, double mean, unsigned *out)
{
	uint4 x;

	curand_normal_double(state);    /* its second number stays for another call */
	for (int i = 0; i < NUMBERS; i += 4) {
		x = curand_poisson4(state, mean);
		out[i] = x.x;
		out[i + 1] = x.y;
		out[i + 2] = x.z;
		out[i + 3] = x.w;
	}
	out[NUMBERS - 1] += curand_normal_double(state) > 0;
}

template <class State, bool BY_FOUR>
__device__ void draw(double mean, unsigned thread, unsigned *out)
{
	State state;

	curand_init(0x2545f4914f6cdd1d, thread, thread % 5, &state);
	if constexpr (BY_FOUR)
		fours(&state, mean, out);
	else
		some(&state, mean, out);
	out[NUMBERS] = curand(&state);
}

template <class State, bool BY_FOUR> __global__ void draw_all(double mean, unsigned *out)
{
	draw<State, BY_FOUR>(mean, threadIdx.x, out + EACH * threadIdx.x);
}

template <class State, bool BY_FOUR> void print(const char *name, double mean)
{
	static unsigned numbers[THREADS * EACH];
	unsigned long long hash = 0xcbf29ce484222325;
	double sum = 0;

#ifdef REFERENCE
	for (unsigned t = 0; t < THREADS; t++)
		draw<State, BY_FOUR>(mean, t, numbers + EACH * t);
#else
	unsigned *out;

	cudaMalloc(&out, sizeof numbers);
	draw_all<State, BY_FOUR><<<1, THREADS>>>(mean, out);
	cudaMemcpy(numbers, out, sizeof numbers, cudaMemcpyDeviceToHost);
	cudaFree(out);
#endif
	for (int i = 0; i < THREADS * EACH; i++) {
		hash = (hash ^ numbers[i]) * 0x100000001b3;
		if (i % EACH < NUMBERS)
			sum += numbers[i];
	}
	printf("%s %g %016llx %u %.2f\n", name, mean, hash, numbers[0],
	       sum / (THREADS * NUMBERS));
}

int main()
{
	const double means[] = { 0, 0.5, 3.75, 20, 63.99, 64, 64.5, 100.25, 777, 3999.5, 4000,
				 4000.5, 123456.75, 3e9 };

	for (double mean : means) {
		print<curandState, false>("xorwow", mean);
		print<curandStatePhilox4_32_10_t, false>("philox", mean);
		print<curandStatePhilox4_32_10_t, true>("philox4", mean);
	}
}
