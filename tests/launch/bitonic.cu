/* bitonic.cu - bitonic sort of shared memory, swap by reference, direction by template. */
template <bool Ascending, typename T> __device__ inline void comparator(T &a, T &b)
{
	if ((a > b) == Ascending) { T t = a; a = b; b = t; }
}
__global__ void bitonic_sort(unsigned short *values)
{
	__shared__ unsigned short s[128];
	const unsigned tid = threadIdx.x;

	s[tid] = values[tid];
	__syncthreads();
	for (unsigned k = 2; k <= blockDim.x; k <<= 1)
		for (unsigned j = k >> 1; j > 0; j >>= 1) {
			unsigned ixj = tid ^ j;
			if (ixj > tid) {
				if ((tid & k) == 0)
					comparator<true>(s[tid], s[ixj]);
				else
					comparator<false>(s[tid], s[ixj]);
			}
			__syncthreads();
		}
	values[tid] = s[tid];
}
