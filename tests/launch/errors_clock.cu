/* errors_clock.cu - the clock. */
__global__ void k(long long *out)
{
	long long start = clock64();
	out[0] = clock64() - start;
}
