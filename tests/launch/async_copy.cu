// Two groups of asynchronous copies; the second fills half of its elements with zeros. A pipeline
// of one thread whose stages are waited for, but never released.
#include <cuda/pipeline>
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

__global__ void stages(const float *in, float *out)
{
	__shared__ float s[32];
	cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
	int t = threadIdx.x;

	for (int i = 0; i < 4; i++) {
		pipe.producer_acquire();
		cuda::memcpy_async(&s[t], &in[32 * i + t], cuda::aligned_size_t<4>(4), pipe);
		pipe.producer_commit();
		pipe.consumer_wait();
		__syncthreads();
		out[32 * i + t] = s[31 - t];
		__syncthreads();
	}
}
