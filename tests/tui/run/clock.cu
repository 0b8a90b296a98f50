/* clock.cu - a kernel that measures how long its warp takes, another that goes on from there, and
 * one whose threads race for a value if there is an argument. */
#include <cstdio>

__global__ void measure(long long *taken, unsigned *out, unsigned rounds)
{
	unsigned sum = threadIdx.x;
	long long begun = clock64();

	for (unsigned i = 0; i < rounds; i++) {
		sum = sum * 3 + i;
		__syncwarp();
	}
	taken[threadIdx.x] = clock64() - begun;
	out[threadIdx.x] = sum;
}

__global__ void twice(const long long *taken, long long *out)
{
	out[threadIdx.x] = 2 * taken[threadIdx.x];
}

__global__ void race(unsigned *out)
{
	*out = threadIdx.x;
}

int main(int argc, char **)
{
	long long *taken, *doubled, few, many;
	unsigned *out;

	cudaMalloc(&taken, 32 * sizeof *taken);
	cudaMalloc(&doubled, 32 * sizeof *doubled);
	cudaMalloc(&out, 32 * sizeof *out);
	measure<<<1, 32>>>(taken, out, 10);
	cudaMemcpy(&few, taken, sizeof few, cudaMemcpyDeviceToHost);
	measure<<<1, 32>>>(taken, out, 1000);
	cudaMemcpy(&many, taken, sizeof many, cudaMemcpyDeviceToHost);
	twice<<<1, 32>>>(taken, doubled);
	if (argc > 1)
		race<<<1, 32>>>(out);
	puts(many > 20 * few ? "more rounds take longer" : "no clock");
	cudaFree(taken);
	cudaFree(doubled);
	cudaFree(out);
}
