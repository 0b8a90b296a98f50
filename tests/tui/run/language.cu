// language.cu - what programs write besides plain kernels: instantiations, linkage, lambdas,
// namespaces, __managed__ variables, qualifiers. Prints a line for each.
#include <cstdio>

template <typename T, int N> __global__ void fill(T *p) { p[threadIdx.x] = (T)N; }
template __global__ void fill<int, 3>(int *);
template __global__ void fill<float, 5>(float *p);
template <class T> __device__ T twice(T x) { return x + x; }
template __device__ float twice<float>(float);

extern "C" __global__ void plain(int *p) { p[1] = 7; }
extern "C" {
__global__ void block_of_c(int *p) { p[2] = 8; }
}

__device__ __noinline__ int far(int x) { return x * 3; }
__global__ void __launch_bounds__(128, 2) bounded(const int *__restrict__ a, int *__restrict__ b)
{
#pragma unroll
	for (int i = 0; i < 4; i++)
		b[i] = far(a[i]);
#pragma unroll 2
	for (int i = 4; i < 8; i++)
		b[i] = a[i] * 2;
}

struct parameter { int a[4]; };
__global__ void constant_parameter(const __grid_constant__ parameter p, int *o) { o[0] = p.a[2]; }

/* As in headers of vectors: a function of the library's name for another type. */
inline __host__ __device__ float2 fminf(float2 a, float2 b)
{
	return make_float2(fminf(a.x, b.x), fminf(a.y, b.y));
}
__global__ void least(float2 a, int *o)
{
	float2 found = fminf(a, make_float2(2.0f, 5.0f));

	o[0] = (int)(found.x * 10.0f + fmaxf(found.y, a.x));
}

enum class mode { one, other };
template <mode M> __global__ void modes(int *o)
{
	if constexpr (M == mode::other)
		o[0] = far(1);
	else
		o[0] = "not this"[0];
}

template <class F> __global__ void apply(F f, int *o) { o[threadIdx.x] = f((int)threadIdx.x); }
template <class... A> __global__ void sum(int *o, A... a) { o[0] = (a + ...); }

namespace inner {
template <class T> struct next { static __device__ T of(T x) { return x + 1; } };
__global__ void plain(int *o) { o[0] = next<int>::of(41); }
}

template <class T> class outside {
	T x_;
public:
	__device__ outside(T x);
	__device__ ~outside();
	__device__ T operator[](int i) const;
	__device__ operator T() const;
	__host__ __device__ T get() const;
	static __device__ T zero();
	template <int N> __device__ T plus(T y) const { return x_ + y + N; }
};
template <class T> __device__ outside<T>::outside(T x) : x_(x) { }
template <class T> __device__ outside<T>::~outside() { x_ = threadIdx.x; }
template <class T> __device__ T outside<T>::operator[](int i) const { return x_ + i; }
template <class T> __device__ outside<T>::operator T() const { return x_; }
template <class T> __host__ __device__ T outside<T>::get() const { return x_; }
template <class T> __device__ T outside<T>::zero() { return T(); }
__global__ void members(int *o)
{
	outside<int> a(3);

	o[0] = a.get() + 10 * a[4] + 100 * (int)a + outside<int>::zero();
}
/* nvcc accepts this without the keyword template, and takes the others for comparisons. */
template <class T> __device__ T dependent(const outside<T> &a, const outside<T> *p)
{
	struct { T x, y; } less = { 1, 2 };
	bool either = less.x < 3 && less.y > (3) || less.x<1&&less.y>(0);

	return a.plus<3>(1) + p->plus<sizeof(T) - 1>(either) + a.template plus<0>(0);
}
template <class T> __global__ void dependents(T *o)
{
	outside<T> a(3);

	o[1] = dependent(a, &a);
}

__managed__ int counter = 4;
static __device__ __managed__ float table[8] = { 1, 2, 3 }, scale(0.5f);
__global__ void count()
{
	atomicAdd(&counter, 1);
	table[threadIdx.x] += threadIdx.x * 0.5f;
	if (threadIdx.x == 0)
		scale += 1;
}

int main()
{
	int *p, offset = 3, copy;
	parameter q = { { 1, 2, 3, 4 } };

	cudaMallocManaged(&p, 64);
	fill<int, 3><<<1, 8>>>(p);
	plain<<<1, 1>>>(p);
	block_of_c<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	printf("fill: %d, linkage: %d %d\n", p[7], p[1], p[2]);
	bounded<<<1, 1>>>(p, p + 8);
	cudaDeviceSynchronize();
	printf("qualifiers: %d %d\n", p[9], p[15]);
	constant_parameter<<<1, 1>>>(q, p);
	modes<mode::other><<<1, 1>>>(p + 1);
	sum<<<1, 1>>>(p + 2, 1, 2, 3);
	inner::plain<<<1, 1>>>(p + 3);
	cudaDeviceSynchronize();
	printf("templates: %d %d %d %d\n", p[0], p[1], p[2], p[3]);
	least<<<1, 1>>>(make_float2(6.0f, 4.0f), p);
	cudaDeviceSynchronize();
	printf("overloads: %d %g\n", p[0], fminf(make_float2(1.0f, 3.0f), make_float2(2.0f, 0.5f)).y);
	members<<<1, 1>>>(p);
	dependents<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	printf("members: %d %d\n", p[0], p[1]);
	apply<<<1, 8>>>([=] __device__ (int i) { return i + offset; }, p);
	cudaDeviceSynchronize();
	printf("lambdas: %d", p[7]);
	apply<<<1, 8>>>([=] __host__ __device__ (int i) { return i - offset; }, p);
	cudaDeviceSynchronize();
	printf(" %d\n", p[7]);
	counter = 10;
	count<<<1, 8>>>();
	cudaDeviceSynchronize();
	cudaMemcpyFromSymbol(&copy, counter, sizeof copy);
	printf("managed: %d %d %g %g %g\n", counter, copy, table[0], table[7], scale);
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
