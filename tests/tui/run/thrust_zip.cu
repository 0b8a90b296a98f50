// thrust_zip.cu - iterators of Thrust that are made of others, and its algorithms by key.
#include <cstdio>
#include <cuda/std/functional>
#include <thrust/adjacent_difference.h>
#include <thrust/copy.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

typedef thrust::tuple<int, int> both;
typedef thrust::device_vector<int> ints;

struct pair_of {
	int i = 0;
	__host__ __device__ both operator()()
	{
#ifdef __CUDA_ARCH__
		i = (int)(blockIdx.x * blockDim.x + threadIdx.x) + 1;
#else
		i += 100;
#endif
		return thrust::make_tuple(i % 3, 10 * i);
	}
};
struct sum_of {
	__host__ __device__ int operator()(const both &t) const
		{ return thrust::get<0>(t) + thrust::get<1>(t); }
};
struct negate_second {
	template <class T> __host__ __device__ void operator()(T &&t) const
		{ thrust::get<1>(t) = -thrust::get<1>(t); }
};
struct square_of {
	__host__ __device__ int operator()(int x) const { return x * x; }
};

static void show(const char *name, const ints &v, long n = -1)
{
	thrust::host_vector<int> h = v;

	printf("%s:", name);
	for (size_t i = 0; i < (n < 0 ? h.size() : (size_t)n); i++)
		printf(" %d", h[i]);
	printf("\n");
}

static void distribution()
{
	thrust::minstd_rand engine(7), same(7);
	thrust::uniform_real_distribution<float> one(1, 3), two;
	thrust::uniform_real_distribution<float>::param_type param = one.param();

	printf("distributions: %d %d, ", one == two, one != two);
	printf("%d, ", one(engine) == two(same, param));
	two.param(param);
	printf("%d %g\n", one == two, two.b());
}

int main()
{
	ints a(6), b(6), c(6), d(6);
	auto first = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
	auto last = thrust::make_zip_iterator(a.end(), b.end());
	thrust::counting_iterator<int> zero(0);
	auto squares = thrust::make_transform_iterator(zero, square_of());
	thrust::pair<ints::iterator, ints::iterator> ends;
	thrust::device_ptr<void> bytes = thrust::device_malloc(64);

	thrust::generate(first, last, pair_of());
	show("generated", a);
	show("with", b);
	thrust::host_vector<both> here(2);
	thrust::generate(here.begin(), here.end(), pair_of());
	printf("here: %d %d\n", thrust::get<1>(here[0]), thrust::get<1>(here[1]));
	thrust::default_random_engine engine(7);
	printf("random: %.9g\n", thrust::uniform_real_distribution<float>(1, 3)(engine));
	distribution();
	thrust::transform(first, last, c.begin(), sum_of());
	show("sums", c);
	thrust::sort(first, last);
	show("sorted", a);
	show("along", b);
	thrust::for_each(first + 1, first + 3, negate_second());
	show("negated", b);
	both t = first[2];
	printf("element: %d %d, %d of them\n", thrust::get<0>(t), thrust::get<1>(t),
	       (int)(last - first));

	thrust::inclusive_scan_by_key(a.begin(), a.end(), b.begin(), c.begin());
	show("scan", c);
	thrust::exclusive_scan_by_key(thrust::device, a.begin(), a.end(),
				      thrust::make_constant_iterator(2), c.begin());
	show("exclusive", c);
	thrust::inclusive_scan_by_key(a.begin(), a.end(), first,
		thrust::make_zip_iterator(thrust::make_tuple(c.begin(), d.begin())),
		thrust::equal_to<int>(), thrust::minimum<both>());
	show("least", d);
	ends = thrust::reduce_by_key(a.begin(), a.end(), squares, c.begin(), d.begin());
	show("keys", c, ends.first - c.begin());
	show("reduced", d, ends.second - d.begin());
	auto unique = thrust::unique_by_key_copy(a.begin(), a.end(), zero,
						 thrust::make_discard_iterator(), d.begin());
	show("offsets", d, unique.second - d.begin());
	thrust::adjacent_difference(a.begin(), a.end(), c.begin(), thrust::not_equal_to<int>());
	show("changes", c);
	auto end = thrust::copy_if(squares, squares + 6, c.begin(), d.begin(), cuda::std::identity());
	show("where", d, end - d.begin());

	thrust::sequence(a.begin(), a.end(), 5, -1);
	thrust::gather(a.begin(), a.end(), squares, c.begin());
	show("gathered", c);
	thrust::scatter(squares, squares + 6, a.begin(), d.begin());
	show("scattered", d);
	thrust::fill(thrust::make_permutation_iterator(d.begin(), a.begin() + 4),
		     thrust::make_permutation_iterator(d.begin(), a.end()), 77);
	show("filled", d);
	printf("first: %d\n", &a[0] == a.data());
	thrust::device_ptr<int> p = a.data(), q = b.data();
	swap(p, q);
	printf("swapped: %d\n", p == b.data());
	thrust::device_free(bytes);
	return 0;
}
