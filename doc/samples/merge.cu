/* merge.cu - four warps merge the sums of their keys; one line is missing, see doc/tour.md.
 *
 * Launch with one block of 128 threads. out: f32[1].
 */
__global__ void merge(float *out)
{
	__shared__ float sums[4];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	float sum = 1.0f / (1 + threadIdx.x);

	for (int step = 16; step > 0; step /= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, step);
	if (lane == 0)
		sums[warp] = sum;
	if (threadIdx.x == 0)
		*out = sums[0] + sums[1] + sums[2] + sums[3];
}
