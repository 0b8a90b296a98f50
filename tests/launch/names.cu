/* names.cu - kernels named like functions of CUDA's headers, declared in every way. */
#include <cooperative_groups.h>
#include <string>
#include <vector>
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <complex>
#include <random>
#include <memory>
#include <numeric>
#include <chrono>
#include <thread>

using namespace cooperative_groups;

__attribute__((__noinline__)) std::string host_side() { return std::string("host"); }

struct scaled {
	__device__ __forceinline__ int by(int n) const { return value * n; }
	template <class T> static __device__ __noinline__ T twice(T x) { return x + x; }
	int value;
};

constexpr int threads_of(int warps) { return 32 * warps; }

__global__ void any(int *out) { out[0] = 1; }
__global__ void max(int *out) { out[0] = 2 + threads_of(1); }
__global__ void min(int *out, int n) { out[0] = scaled{ n }.by(3) + scaled::twice(n); }
__global__ void abs(int *out) { out[0] = 4; }
__global__ void reduce(int *out) { out[0] = 5; }
template <class T> __global__ void swap(T *out) { out[0] = 6; }
namespace mine {
struct cell { int at; };
__global__ void all(cell *out) { out[0].at = 7; }
}
