/* Shared variables outside functions: of several kernels, functions, templates, a namespace. */
#define N 64

__shared__ float tile[N];
static __shared__ int total, *where;
extern __shared__ float dynamic[];
static_assert(sizeof(tile) == N * sizeof(float), "a name outside functions");

namespace inner {
__shared__ int tile[2];
__device__ int *inner_tile() { return &tile[0]; }
}

__device__ float scaled(float tile, float total);       /* names of parameters hide them */
__device__ void set_tile(int i, float v) { tile[i] = v; }
__device__ float tile_at(int i) { return tile[i]; }
__device__ float scaled(float tile, float total) { return tile * total; }

template <class T> struct counter {
	T total;
	__device__ counter(T start) : total(start) { }
	__device__ T next() { total += 1; return total; }
};

template <class T> __global__ void all(const T *in, T *out)
{
	int t = threadIdx.x;
	counter<T> c(t);
	auto twice = [&](int i) { return 2 * tile_at(i); };

	if (t == 0) {
		total = 0;
		where = &total;
		*inner::inner_tile() = 5;
	}
	dynamic[t] = in[t];
	set_tile(t, in[t]);
	__syncthreads();
	atomicAdd(where, (int)dynamic[N - 1 - t]);
	__syncthreads();
	out[t] = scaled(twice(N - 1 - t), c.next()) + ::total + *inner::inner_tile();
}

__global__ void one(const float *in, float *out)
{
	float tile = in[threadIdx.x];

	out[threadIdx.x] = tile;
}
