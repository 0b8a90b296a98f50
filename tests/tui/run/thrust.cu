// thrust.cu - vectors in device memory that kernels use too, and what most programs use of Thrust.
#include <cstdio>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

__global__ void twice(int *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] *= 2;
}

struct is_odd {
	__host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

template <class V> static void show(const char *name, const V &v)
{
	thrust::host_vector<int> h = v;

	printf("%s:", name);
	for (size_t i = 0; i < h.size(); i++)
		printf(" %d", h[i]);
	printf("\n");
}

int main()
{
	thrust::device_vector<int> d(6), e(6, 7), keys;
	int *raw;

	thrust::sequence(d.begin(), d.end(), 1);
	twice<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), (int)d.size());
	show("twice", d);
	printf("sum %d, max %d, odd %d, dot %d\n", thrust::reduce(d.begin(), d.end()),
	       (int)*thrust::max_element(d.begin(), d.end()),
	       (int)thrust::count_if(thrust::device, d.begin(), d.end(), is_odd()),
	       thrust::inner_product(d.begin(), d.end(), e.begin(), 0));
	thrust::transform(d.begin(), d.end(), e.begin(), e.begin(), thrust::minus<int>());
	show("transform", e);
	thrust::exclusive_scan(d.begin(), d.end(), d.begin());
	show("scan", d);
	thrust::inclusive_scan(thrust::cuda::par.on(cudaStream_t(0)), d.begin(), d.end(), d.begin(),
			       thrust::maximum<int>());
	d[2] = 100;
	d.push_back((int)d[1] + 1);
	show("changed", d);

	keys = thrust::host_vector<int>{ 3, 1, 3, 0, 1, 2, 1 };
	thrust::sort_by_key(keys.begin(), keys.end(), d.begin(), thrust::greater<int>());
	show("values", d);
	keys.resize((size_t)(thrust::unique(keys.begin(), keys.end()) - keys.begin()));
	show("keys", keys);

	cudaMalloc(&raw, 4 * sizeof *raw);
	thrust::device_ptr<int> p(raw);
	thrust::fill(p, p + 4, 5);
	thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(4), p, p,
			  [] __host__ __device__ (int i, int x) { return 10 * i + x; });
	thrust::sort(thrust::device, p, p + 4, thrust::greater<int>());
	printf("raw: %d %d, squares %d\n", (int)p[0], (int)p[3],
	       thrust::transform_reduce(p, p + 4, thrust::square<int>(), 0, thrust::plus<int>()));
	cudaFree(raw);
	return 0;
}
