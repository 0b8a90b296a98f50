/* atomics.cu - compare-and-swap loops, a lock, last block done, double and float tricks. */
__device__ float atomicMaxFloat(float *address, float val)
{
	int *address_as_int = (int *)address;
	int old = *address_as_int, assumed;

	do {
		assumed = old;
		old = ::atomicCAS(address_as_int, assumed, __float_as_int(::fmaxf(val, __int_as_float(assumed))));
	} while (assumed != old);
	return __int_as_float(old);
}

__device__ double atomicAddDouble(double *address, double val)
{
	unsigned long long int *address_as_ull = (unsigned long long int *)address;
	unsigned long long int old = *address_as_ull, assumed;

	do {
		assumed = old;
		old = atomicCAS(address_as_ull, assumed,
				__double_as_longlong(val + __longlong_as_double(assumed)));
	} while (assumed != old);
	return __longlong_as_double(old);
}

__device__ int mutex = 0;
__device__ unsigned int count = 0;
__shared__ extern int unused[];

__global__ void all(const float *x, float *largest, double *sum, int *guarded, unsigned *misc)
{
	__shared__ bool isLast;
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicMaxFloat(largest, x[i]);
	atomicAddDouble(sum, (double)x[i]);
	if (threadIdx.x == 0) {
		while (atomicCAS(&mutex, 0, 1) != 0)
			__nanosleep(20);
		__threadfence();
		*(volatile int *)guarded = *(volatile int *)guarded + 1;
		__threadfence();
		atomicExch(&mutex, 0);
		unsigned int ticket = atomicInc(&count, gridDim.x);
		isLast = (ticket == gridDim.x - 1);
	}
	__syncthreads();
	if (isLast && threadIdx.x == 0)
		misc[0] = 42;
	atomicOr(&misc[1], 1u << (i % 32));
	atomicMin(&misc[2], (unsigned)i);
	atomicXor(&misc[3], 1u);
	atomicAdd_block(&misc[4], 1u);
	atomicSub(&misc[5], 1u);
}
