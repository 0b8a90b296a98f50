/* An object whose destructor runs after a barrier and an atomic, like a guard of a lock. */
struct guard {
	int *out;
	__device__ guard(int *out) : out(out) {}
	__device__ ~guard() { out[threadIdx.x] += 1; }
};

__global__ void guarded(int *counter, int *out)
{
	guard g(out);

	out[threadIdx.x] = 10;
	__syncthreads();
	atomicAdd(counter, 1);
}
