/* barriers.cu - barriers, pipelines, atomics and asynchronous copies of CUDA's C++ library. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

/* Half of the threads arrive and go on; the others wait for all. Two phases, then one drops out. */
__global__ void phases(const int *in, int *out)
{
	__shared__ block_barrier bar;
	__shared__ int s[64];
	int t = threadIdx.x;

	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	s[t] = in[t];
	auto token = bar.arrive();
	bar.wait(cuda::std::move(token));
	int sum = s[63 - t];
	bar.arrive_and_wait();
	s[t] = sum;
	if (t == 63) {
		bar.arrive_and_drop();
		return;
	}
	bar.arrive_and_wait();
	out[t] = s[(t + 1) % 64];
	bar.arrive_and_wait();
	if (t == 0)
		out[63] = 7;
}

__global__ void copied(const float4 *in, float4 *out)
{
	__shared__ block_barrier bar;
	__shared__ float4 s[32];
	int t = threadIdx.x;

	if (t == 0)
		init(&bar, 32);
	__syncthreads();
	cuda::memcpy_async(&s[t], &in[t], cuda::aligned_size_t<16>(sizeof(float4)), bar);
	bar.arrive_and_wait();
	out[31 - t] = s[t];
}

/* WAIT: whether to wait for the copies, and for the other threads. */
template <int WAIT> __global__ void groups(const int *in, int *out)
{
	__shared__ int s[96];
	auto block = cooperative_groups::this_thread_block();

	cooperative_groups::memcpy_async(block, s, in, sizeof(int) * 96);
	if (WAIT)
		cooperative_groups::wait(block);
	for (int i = threadIdx.x; i < 96; i += 64)
		out[95 - i] = s[i];
}

__global__ void stages(const int *in, int *out, int n)
{
	__shared__ int s[2][32];
	auto pipe = cuda::make_pipeline();
	int t = threadIdx.x;

	for (int i = 0, ahead = 0; i < n; i++) {
		for (; ahead < n && ahead < i + 2; ahead++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&s[ahead % 2][t], &in[32 * ahead + t], sizeof(int), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		__syncthreads();
		out[32 * i + t] = s[i % 2][31 - t];
		__syncthreads();
		pipe.consumer_release();
	}
}

/* One warp copies, the other adds up. */
__global__ void roles(const int *in, int *out, int n)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ int s[2][32];
	auto block = cooperative_groups::this_thread_block();
	bool produces = threadIdx.x < 32;
	auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer
					: cuda::pipeline_role::consumer);
	int t = threadIdx.x % 32, sum = 0;

	for (int i = 0; i < n; i++) {
		if (produces) {
			pipe.producer_acquire();
			cuda::memcpy_async(&s[i % 2][t], &in[32 * i + t], sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			pipe.consumer_wait();
			sum += s[i % 2][31 - t];
			pipe.consumer_release();
		}
	}
	if (!produces)
		out[t] = sum;
}

/* The last block to finish adds up what all have written. */
__global__ void last_block(const int *in, int *part, int *out, unsigned *count)
{
	cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(*count);
	__shared__ cuda::atomic<int, cuda::thread_scope_block> total;

	if (threadIdx.x == 0)
		total.store(0, cuda::memory_order_relaxed);
	__syncthreads();
	total.fetch_add(in[blockIdx.x * blockDim.x + threadIdx.x], cuda::memory_order_relaxed);
	__syncthreads();
	if (threadIdx.x > 0)
		return;
	part[blockIdx.x] = total;
	if (done.fetch_add(1, cuda::memory_order_acq_rel) + 1 < gridDim.x)
		return;
	for (int i = 0; i < gridDim.x; i++)
		*out += part[i];
	static_assert(cuda::std::is_same<decltype(total.load()), int>::value, "");
}
