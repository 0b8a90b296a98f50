/* templates.cu - templated kernels: traits, constexpr, variadics, specialisations. */
#include <type_traits>
#include <cstdint>
template <typename T> struct Traits;
template <> struct Traits<float> { static constexpr int kId = 1; using Acc = double; };
template <> struct Traits<int> { static constexpr int kId = 2; typedef long long Acc; };

constexpr int next_pow2(int x) { return x <= 1 ? 1 : 2 * next_pow2((x + 1) / 2); }

template <class... Ts> __device__ int count_args(Ts... args) { return sizeof...(args); }
template <class T> __device__ T sum_all(T v) { return v; }
template <class T, class... Ts> __device__ T sum_all(T v, Ts... rest) { return v + sum_all(rest...); }

template <typename T, int N> struct Array {
	T data[N];
	__device__ T &operator[](int i) { return data[i]; }
	__device__ const T &operator[](int i) const { return data[i]; }
	__device__ constexpr int size() const { return N; }
};

/* Members with the name of a C function, and a call of a template of a dependent class without the
 * keyword `template`, as nvcc accepts it. */
template <typename T> struct Copier {
	template <int N> __device__ static void copy(T *to, const T *from)
	{
		for (int i = 0; i < N; i++)
			memcpy(to + i, from + i);
	}
	__device__ static void memcpy(T *to, const T *from) { *to = *from; }
};
template <typename T, int N> __device__ void copy_all(T *to, const T *from)
{
	Copier<T>::copy<N>(to, from);
}

template <bool Flag> __device__ int chosen(int a, int b)
{
	if constexpr (Flag)
		return a;
	else
		return b;
}

template <typename T, int BLOCK, bool FLAG = true>
__global__ void __launch_bounds__(BLOCK, 1) work(const T *__restrict__ in, T *__restrict__ out, const int n)
{
	using Acc = typename Traits<T>::Acc;
	constexpr int P = next_pow2(BLOCK - 3);
	Array<T, 4> a;
	__shared__ T tile[P][4];
	const auto tid = static_cast<int>(threadIdx.x);
	Acc acc{};

#pragma unroll 4
	for (int i = 0; i < a.size(); ++i) {
		a[i] = tid * 4 + i < n ? in[tid * 4 + i] : T{};
	}
	copy_all<T, 4>(tile[tid], a.data);
	__syncthreads();
	for (const auto &v : tile[(tid + 1) % BLOCK])
		acc += static_cast<Acc>(v);
	out[tid] = static_cast<T>(acc) + T(chosen<FLAG>(10, 20) + count_args(1, 2.f, 'c')
		+ sum_all(1, 2, 3)) + T(Traits<T>::kId * P);
	static_assert(std::is_same<T, float>::value || sizeof(T) == 4, "four bytes");
}

template <typename T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }
template __global__ void fill<int>(int *, int);
