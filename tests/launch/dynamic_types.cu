/* dynamic_types.cu - dynamic shared memory as templates use it: a struct of pointers, a cast,
 * a helper that hides the declaration, references to the array. */
#include <cuda_runtime.h>
template <typename T> struct SharedMemory {
	__device__ inline operator T *()
	{
		extern __shared__ int __smem[];
		return (T *)__smem;
	}
	__device__ inline operator const T *() const
	{
		extern __shared__ int __smem[];
		return (T *)__smem;
	}
};
template <class T, unsigned int blockSize>
__global__ void reduce(T *g_idata, T *g_odata, unsigned int n)
{
	T *sdata = SharedMemory<T>();
	unsigned int tid = threadIdx.x;
	unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
	T mySum = (i < n) ? g_idata[i] : 0;

	if (i + blockSize < n)
		mySum += g_idata[i + blockSize];
	sdata[tid] = mySum;
	__syncthreads();
	if ((blockSize >= 128) && (tid < 64))
		sdata[tid] = mySum = mySum + sdata[tid + 64];
	__syncthreads();
	if ((blockSize >= 64) && (tid < 32))
		sdata[tid] = mySum = mySum + sdata[tid + 32];
	__syncthreads();
	if (tid < 32) {
		mySum = sdata[tid];
		for (int offset = warpSize / 2; offset > 0; offset /= 2)
			mySum += __shfl_down_sync(0xffffffff, mySum, offset);
	}
	if (tid == 0)
		g_odata[blockIdx.x] = mySum;
}

struct storage {
	int at[32], more;
};
struct shape {
	static constexpr int threads = 32;
};
extern __shared__ __align__(1024) unsigned char of_file[];

/* Each way leads to the same memory, also inside of a lambda that copies what it names. */
template <class T> __global__ void __launch_bounds__(T::threads) views(int *out)
{
	extern __attribute__((shared)) __align__(1024) unsigned char memory[];
	__shared__ char odd[17];
	storage &a = reinterpret_cast<storage &>(memory), &b = (storage &)memory;
	storage *c = (storage *)&memory, *d = (storage *)&of_file;
	auto third = [=] { return ((storage *)memory)->at[threadIdx.x ^ 3]; };
	int t = threadIdx.x;

	odd[t % 17] = t;
	a.at[t] = t;
	if (t == 0)
		c->more = 100;
	__syncthreads();
	out[t] = b.at[31 - t] + d->more + 1000 * third() + 100000 * ((void *)odd != c);
}
__global__ void __launch_bounds__(shape::threads) bounded(int *out)
{
	out[threadIdx.x] = blockDim.x;
}
