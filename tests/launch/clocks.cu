/* clocks.cu - waits for each clock to advance, and for long. */
__global__ void waits(int *out)
{
	clock_t first = clock();
	long long start = clock64();

	while (clock64() - start < 10000)
		;
	out[blockIdx.x * blockDim.x + threadIdx.x] = clock() != first;
}

/* polls: how often each thread looked. */
__global__ void waits_long(long long cycles, int *polls)
{
	long long start = clock64();
	int n = 0;

	do
		n++;
	while (clock64() - start < cycles);
	polls[threadIdx.x] = n;
}

/* A clock that is read around other work counts its calls: threads meet in between. */
__global__ void measures(int *out)
{
	long long before, after;
	int good = 1;

	for (int i = 0; i < 100; i++) {
		before = clock64();
		after = clock64();
		good &= after - before == 16;
		__syncthreads();
	}
	out[threadIdx.x] = good;
}
