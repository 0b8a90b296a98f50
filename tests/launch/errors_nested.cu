/* errors_nested.cu - dynamic parallelism. */
__global__ void child(int *x) { x[0] = 1; }
__global__ void k(int *out)
{
	if (threadIdx.x == 0)
		child<<<1, 1>>>(out);
}
