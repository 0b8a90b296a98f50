// sim/cuda/async.h: a pipeline of two stages whose producer is a warp of its own, copies of 16 bytes
// that a barrier waits for, bulk stores, a barrier without arrivals, copies of what is read once.
#include "sim/cuda/async.h"

// 96 threads: two warps consume what the third copies. n: a multiple of 64
__global__ void stages(const float *in, float *out, int n)
{
	__shared__ __align__(16) float s[2][64];
	__shared__ uint64_t full[2], empty[2];
	int t = threadIdx.x;

	if (t == 0) {
		for (int i = 0; i < 2; i++) {
			mbarrier_init(&full[i], 1);
			mbarrier_init(&empty[i], 64);
		}
		mbarrier_init_fence();
	}
	__syncthreads();
	for (int i = 0; i < n / 64; i++) {
		int stage = i % 2, phase = i / 2 % 2;

		if (t == 64) {
			mbarrier_wait(&empty[stage], phase ^ 1);
			mbarrier_expect(&full[stage], sizeof s[0]);
			async_bulk_load(s[stage], in + 64 * i, 128, &full[stage]);
			async_bulk_load(s[stage] + 32, in + 64 * i + 32, 128, &full[stage]);
		}
		if (t < 64) {
			mbarrier_wait(&full[stage], phase);
			out[64 * i + t] = 2.0f * s[stage][63 - t];
			mbarrier_arrive(&empty[stage]);
		}
	}
}

// 32 threads
__global__ void small_copies(const float *in, float *out)
{
	__shared__ __align__(16) float s[128];
	__shared__ uint64_t full;
	int t = threadIdx.x;

	if (t == 0) {
		mbarrier_init(&full, 32);
		mbarrier_init_fence();
	}
	__syncthreads();
	async_copy16_part(s + 4 * t, in + 4 * t, t == 31 ? 4 : 16);
	async_arrive(&full);
	while (!mbarrier_test(&full, 0))
		;
	for (int i = t; i < 128; i += 32)
		s[i] += 1.0f;
	async_bulk_fence();
	__syncthreads();
	if (t == 0) {
		async_bulk_store(out, s, 256);
		async_bulk_commit();
		async_bulk_store(out + 64, s + 64, 256);
		async_bulk_commit();
		async_bulk_wait_read(1);
		async_bulk_wait(0);
	}
}

__global__ void nobody_arrives(float *out)
{
	__shared__ uint64_t full;

	if (threadIdx.x == 0) {
		mbarrier_init(&full, 2);
		mbarrier_arrive(&full);
	}
	__syncthreads();
	mbarrier_wait(&full, 0);
	out[threadIdx.x] = 1.0f;
}

// 32 threads; `places` is 0 to 31 in any order: where each puts its 16 bytes of either half.
__global__ void copies_once(const float *in, const int *places, float *out)
{
	__shared__ __align__(16) float s[256];
	int t = threadIdx.x;
	float *mine = s + 4 * places[t];

	#pragma unroll
	for (int i = 0; i < 2; i++) {
		async_copy16_once(mine, 512 * i, in + 128 * i + 4 * t, t % 3 != i);
		async_commit();
	}
	#pragma unroll
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			async_wait(1);
		else
			async_wait(0);
		__syncthreads();
		for (int j = t; j < 128; j += 32)
			out[128 * i + j] = s[128 * i + j] + 1.0f;
	}
}
