/* clocks.cu - waits for each clock to advance. */
__global__ void waits(int *out)
{
	clock_t first = clock();
	long long start = clock64();

	while (clock64() - start < 10000)
		;
	out[blockIdx.x * blockDim.x + threadIdx.x] = clock() != first;
}
