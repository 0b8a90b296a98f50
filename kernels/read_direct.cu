/* read_direct.cu - reads memory by loads of 16 bytes, to measure what the memory gives.
 *
 * Grid (any), block (32, READ_WARPS), no shared memory. from: 16-byte vectors [vectors]. sums:
 * u32 [grid * READ_WARPS], the exclusive or of the words that each warp has read. Neighbouring
 * threads read neighbouring vectors; each thread has READ_LOADS of them in flight.
 */
#include "kernels/read_sum.cuh"

KERNEL __launch_bounds__(32 * READ_WARPS)
read_direct(const unsigned *from, unsigned *sums, long long vectors)
{
	const uint4 *all = (const uint4 *)from;
	long long threads = (long long)gridDim.x * READ_WARPS * 32;
	long long i = ((long long)blockIdx.x * READ_WARPS + threadIdx.y) * 32 + threadIdx.x;
	unsigned sum = 0;

	for (; i + (READ_LOADS - 1) * threads < vectors; i += READ_LOADS * threads) {
		uint4 part[READ_LOADS];

#pragma unroll
		for (int j = 0; j < READ_LOADS; j++)
			part[j] = all[i + j * threads];
#pragma unroll
		for (int j = 0; j < READ_LOADS; j++)
			sum ^= read_fold(part[j]);
	}
	for (; i < vectors; i += threads)
		sum ^= read_fold(all[i]);
	read_publish(sums, sum);
}
