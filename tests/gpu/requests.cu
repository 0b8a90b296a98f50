// requests.cu - kernels of one warp whose accesses have known shapes; see tests/gpu/counters.sh.
//
// On the simulator each kernel is launched by name. On a GPU main() launches all of them once, so
// that one run under Nsight Compute measures the rules that sim/check/requests.c implements.
// Filling and reading back shared memory takes requests of one pass each. The access that is
// measured is in the kernel's name: what it does, its shape, and the bytes per lane.
#include <cstdio>
#include <cuda_runtime.h>

#define LANES 32
#define WORDS 4096                      // 16 KiB: stride 32 of 16 bytes

// X(name, type, element of a lane, which lanes take part)
#define EACH_FOR_ITSELF(X, does, type, bytes) \
	X(does##_stride1_##bytes, type, lane, true) \
	X(does##_stride2_##bytes, type, 2 * lane, true) \
	X(does##_stride4_##bytes, type, 4 * lane, true) \
	X(does##_stride8_##bytes, type, 8 * lane, true) \
	X(does##_stride16_##bytes, type, 16 * lane, true) \
	X(does##_stride32_##bytes, type, 32 * lane, true) \
	X(does##_reversed_##bytes, type, 31 - lane, true) \
	X(does##_mixed_##bytes, type, lane * 5 % 32, true) \
	X(does##_few_##bytes, type, lane, lane < 8) \
	X(does##_even_##bytes, type, lane, lane % 2 == 0) \
	X(does##_fourspread_##bytes, type, 8 * lane, lane % 8 == 0) \
	X(does##_eightspread_##bytes, type, 8 * lane, lane % 4 == 0)
#define TOGETHER(X, does, type, bytes) \
	X(does##_same_##bytes, type, 0, true) \
	X(does##_pairs_##bytes, type, lane / 2, true) \
	X(does##_pairs8_##bytes, type, lane / 2 * 8, true) \
	X(does##_crossed_##bytes, type, lane / 4 * 2 + lane % 2, true) \
	X(does##_alternate_##bytes, type, lane % 2, true) \
	X(does##_alternate32_##bytes, type, lane % 2 * 32, true) \
	X(does##_halves_##bytes, type, lane % 16, true) \
	X(does##_halves8_##bytes, type, lane % 16 * 8, true) \
	X(does##_quarters_##bytes, type, lane % 8, true) \
	X(does##_quads_##bytes, type, lane / 4, true)
#define OF_TYPE(X, type, bytes) \
	EACH_FOR_ITSELF(X##_LOAD, load, type, bytes) \
	TOGETHER(X##_LOAD, load, type, bytes) \
	EACH_FOR_ITSELF(X##_STORE, store, type, bytes) \
	EACH_FOR_ITSELF(X##_READ, read, type, bytes) \
	TOGETHER(X##_READ, read, type, bytes)
#define ALL(X) OF_TYPE(X, float, 4) OF_TYPE(X, float2, 8) OF_TYPE(X, float4, 16)

static __device__ float total(float v) { return v; }
static __device__ float total(float2 v) { return v.x + v.y; }
static __device__ float total(float4 v) { return v.x + v.y + v.z + v.w; }
static __device__ void spread(float from, float *to) { *to = from; }
static __device__ void spread(float from, float2 *to) { *to = make_float2(from, from); }
static __device__ void spread(float from, float4 *to) { *to = make_float4(from, from, from, from); }

#define KERNEL_LOAD(name, type, element, taking_part) \
	extern "C" __global__ void name(const float *in, float *out) \
	{ \
		__shared__ float4 cells[WORDS / 4]; \
		float *memory = (float *)cells; \
		int lane = threadIdx.x; \
		\
		for (int i = lane; i < WORDS; i += LANES) \
			memory[i] = i; \
		__syncwarp(); \
		if (taking_part) \
			out[lane] = total(((const type *)memory)[element]); \
	}
#define KERNEL_STORE(name, type, element, taking_part) \
	extern "C" __global__ void name(const float *in, float *out) \
	{ \
		__shared__ float4 cells[WORDS / 4]; \
		float *memory = (float *)cells; \
		int lane = threadIdx.x; \
		float sum = 0; \
		\
		for (int i = lane; i < WORDS; i += LANES) \
			memory[i] = i; \
		__syncwarp(); \
		if (taking_part) \
			spread(lane, (type *)memory + element); \
		__syncwarp(); \
		for (int i = lane; i < WORDS; i += LANES) \
			sum += memory[i]; \
		out[lane] = sum; \
	}
#define KERNEL_READ(name, type, element, taking_part) \
	extern "C" __global__ void name(const float *in, float *out) \
	{ \
		int lane = threadIdx.x; \
		\
		if (taking_part) \
			out[lane] = total(((const type *)in)[element]); \
	}
ALL(KERNEL)

#ifdef __CUDACC__
#define LAUNCH(name, ...) name<<<1, LANES>>>(in, out);
#define LAUNCH_LOAD LAUNCH
#define LAUNCH_STORE LAUNCH
#define LAUNCH_READ LAUNCH

int main()
{
	float *in, *out;

	if (cudaMalloc(&in, WORDS * sizeof *in) || cudaMalloc(&out, LANES * sizeof *out)
	    || cudaMemset(in, 0, WORDS * sizeof *in))
		return 1;
	ALL(LAUNCH)
	cudaError_t error = cudaDeviceSynchronize();
	if (error)
		fprintf(stderr, "requests: %s\n", cudaGetErrorString(error));
	return error != cudaSuccess;
}
#endif
