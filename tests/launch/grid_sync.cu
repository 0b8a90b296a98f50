/* grid_sync.cu - a barrier over the grid, written by hand on atomics. */
__device__ unsigned arrived;

__global__ void two_phases(const int *in, int *middle, int *out)
{
	int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;

	middle[i] = in[i] * 2;
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0) {
		atomicAdd(&arrived, 1u);
		while (atomicAdd(&arrived, 0u) < gridDim.x)
			;
	}
	__syncthreads();
	out[i] = middle[n - 1 - i];
}
