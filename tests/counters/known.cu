// known.cu - kernels whose counters follow from CUDA's rules by hand; see tests/test_counters.sh.
// Each is launched with one block of 64 threads: two warps.

__global__ void copy(const float *in, float *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void stride2(const float *in, float *out)
{
	out[2 * threadIdx.x] = in[2 * threadIdx.x];
}

__global__ void stride32(const float *in, float *out)
{
	out[threadIdx.x] = in[32 * threadIdx.x];
}

__global__ void copy4(const float4 *in, float4 *out)
{
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void broadcast(const float *in, float *out)
{
	out[threadIdx.x] = in[0];
}

template <int PITCH> __global__ void transpose(const float *in, float *out)
{
	__shared__ float tile[32 * PITCH];
	int x = threadIdx.x % 32, y = threadIdx.x / 32;

	for (int row = y; row < 32; row += 2)
		tile[row * PITCH + x] = in[row * 32 + x];
	__syncthreads();
	for (int row = y; row < 32; row += 2)
		out[row * 32 + x] = tile[x * PITCH + row];
}

__global__ void shared4(const float4 *in, float4 *out)
{
	__shared__ float4 tile[64];

	tile[threadIdx.x] = in[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void branch(const float *in, float *out)
{
	if (threadIdx.x % 2)
		out[threadIdx.x] = 1;
	else
		out[64 + threadIdx.x] = in[threadIdx.x];
}

__global__ void uniform(const float *in, float *out)
{
	if (threadIdx.x < 32)
		out[threadIdx.x] = 1;
	else
		out[64 + threadIdx.x] = in[threadIdx.x];
}

__global__ void meet(const float *in, float *out)
{
	float v = in[threadIdx.x];

	for (int i = 16; i > 0; i /= 2) {
		v += __shfl_xor_sync(~0u, v, i);
		__syncthreads();
	}
	out[threadIdx.x] = v;
	__syncthreads();
	atomicAdd(&out[0], v);
}

__global__ void early(const float *in, float *out, int n)
{
	if (threadIdx.x >= n)
		return;
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void endless(const float *in, float *out)
{
	if (threadIdx.x == 3)
		while (1)
			;
	out[threadIdx.x] = in[threadIdx.x];
}

__global__ void wait_plain(const float *in, float *out)
{
	while (in[threadIdx.x] != 7)
		;
	out[threadIdx.x] = 1;
}

__global__ void looping(const float *in, float *out)
{
	float sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += in[i % 8];
	out[threadIdx.x] = sum;
}
