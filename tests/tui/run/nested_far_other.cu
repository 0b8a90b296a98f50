// nested_far_other.cu - kernels that device code of nested_far.cu launches: this file has shared
// memory and a variable of its own, and launches a kernel of that file.
__global__ void twice(int *out, int depth);
__device__ int calls = 1;

__global__ void sum(const int *values, int n, int *out)
{
	__shared__ int total;

	if (threadIdx.x == 0)
		total = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		atomicAdd(&total, values[i]);
	__syncthreads();
	if (threadIdx.x == 0)
		*out = total + calls++;
}

__global__ void again(int *out, int depth)
{
	if (depth < 3)
		twice<<<1, 1>>>(out, depth);
}

template <class T> __global__ void fill(T *p, T value) { *p = value; }
template __global__ void fill<int>(int *, int);
