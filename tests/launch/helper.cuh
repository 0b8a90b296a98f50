/* helper.cuh - the header that include.cu includes. */
#pragma once
namespace helper {
template <class T> struct Pair { T a, b; };
template <class T> __host__ __device__ inline Pair<T> make_pair(T a, T b) { return Pair<T>{a, b}; }
__device__ __constant__ const int kOffset = 100;
}
