// kinds.cu - kernels of every kind that host code can launch, and functions of both sides.
#include <cmath>
#include <cstdio>
#include <vector>

namespace outer {
template <typename T, int N> __global__ void __launch_bounds__(N) scale(T *p, T factor, int n)
{
	__shared__ T s[N];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	s[threadIdx.x] = i < n ? p[i] : 0;
	__syncthreads();
	if (i < n)
		p[i] = s[N - 1 - threadIdx.x] * factor;
}
}

struct Add {
	float a;

	__host__ __device__ Add(float x) : a{x} { }
	__device__ float operator()(float v) const { return v + a; }
};

template <class F> __global__ void map(float *p, F f)
{
	p[threadIdx.x] = f(p[threadIdx.x]);
}
template <class... A> __global__ void sum(float *out, A... a)
{
	out[threadIdx.x] = (0 + ... + a);
}
static __global__ void hidden(float *p)
{
	p[threadIdx.x] = expf(p[threadIdx.x]);
}
extern "C" __global__ void plain(float *p, int)
{
	p[0] += 1;
}
namespace { __global__ void nameless(float *p) { p[1] = warpSize; } }
// Never launched, so what the simulator does not have is no error.
__global__ void unused(float *p)
{
	p[0] = acosf(p[1]);
	asm volatile("brkpt;");
}

template <class T> __device__ void unused(float *d, unsigned a)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.e5m2.e5m2.f32 {%0, _, _, _}, "
		     "{%1, %1, %1, %1}, {%1, %1}, {%0, 0., 0., 0.};" : "+f"(*d) : "r"(a));
}

__device__ int counter = 40;
__constant__ float table[2];
extern __shared__ int dynamic[];
__global__ void variables(float *p)
{
	dynamic[threadIdx.x] = threadIdx.x;
	__syncthreads();
	atomicAdd(&counter, dynamic[1]);
	p[threadIdx.x] = table[threadIdx.x % 2];
}

static const double at_start = exp(2.0);
static std::vector<int> made_at_start(3, 4);

template <class T> void launch_for(T *p, T factor)
{
	dim3 blockDim(32), gridDim(2);

	outer::scale<T, 32><<<gridDim, blockDim>>>(p, factor, 64);
}

static void show(const char *what, const float *device, int n)
{
	std::vector<float> host(n);

	cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
	printf("%s:", what);
	for (float x : host)
		std::printf(" %.9g", x);
	printf("\n");
}

int main(int argc, char **)
{
	float host[64], *p, more = 0.5f, values[2] = { 7, 8 };
	void (*pointer)(float *, int) = plain;
	double *d;
	int count = 0;

	for (int i = 0; i < 64; i++)
		host[i] = i;
	cudaMalloc(&p, sizeof host);
	cudaMalloc(&d, 64 * sizeof *d);
	cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemset(d, 0, 64 * sizeof *d);
	launch_for(p, 2.0f);
	launch_for(d, 2.0);
	show("templates", p, 3);
	map<<<1, 4>>>(p, Add(3));
	map<<<1, 4>>>(p, [=] __device__ (float v) { return v * more + (threadIdx.x == 1); });
	show("functions", p, 3);
	sum<<<1, 2>>>(p, argc, 2.5f, 3.0);
	show("packs", p, 2);
	pointer<<<1, 1>>>(p, 3);
	nameless<<<1, 1>>>(p);
	show("names", p, 2);
	hidden<<<1, 2>>>(p + 2);
	cudaMemcpyToSymbol(table, values, sizeof values);
	variables<<<1, 4, 4 * sizeof(int)>>>(p);
	cudaMemcpyFromSymbol(&count, counter, sizeof count);
	show("variables", p, 4);
	printf("host: %d %.6f %zu %.6f\n", count, at_start, made_at_start.size(), acosf(0.5f));
	cudaFree(p);
	cudaFree(d);
	return cudaGetLastError();
}
