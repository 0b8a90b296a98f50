// Two groups of asynchronous copies; the second fills half of its elements with zeros.
#include <cuda_pipeline.h>

__global__ void two_groups(const float *in, float *out)
{
	__shared__ float s[64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&s[t], &in[t], sizeof(float));
	__pipeline_commit();
	__pipeline_memcpy_async(&s[32 + t], &in[32 + t], sizeof(float), t < 16 ? 0 : 4);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	__syncthreads();
	out[31 - t] = s[t];
	__pipeline_wait_prior(0);
	__syncthreads();
	out[63 - t] = s[32 + t];
}
