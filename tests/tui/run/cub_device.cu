// cub_device.cu - CUB's device-wide algorithms, each in two calls.
#include <cstdio>

#include <cub/cub.cuh>
#include <cub/device/device_reduce.cuh>

#include "cub_device.cuh"

static const int numbers[] = { 5, -3, 8, 8, 1, -3, 7, 0 };
static const int N = sizeof numbers / sizeof numbers[0];

struct is_positive {
	__host__ __device__ bool operator()(int x) const { return x > 0; }
};
struct larger {
	__host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

__global__ void negate(int *x) { x[threadIdx.x] = -x[threadIdx.x]; }

int main()
{
	int *in = device(numbers, N), *out = device(numbers, N), *one = device(numbers, 1);
	float values[] = { 2.5f, -0.0f, 0.0f, -7.0f, 1e30f };
	float *floats = device(values, 5), *sorted = device(values, 5);
	char bytes[] = { 100, 100, 100 }, flags[] = { 0, 1, 1, 0, 0, 1, 0, 1 };
	char *narrow = device(bytes, 3), *marks = device(flags, N);
	long long wide = 0, *total = device(&wide, 1);
	size_t none = 0;
	cudaStream_t stream;

	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	TWICE(DeviceReduce::Sum, in, one, N);
	print("sum", one, 1);
	TWICE(DeviceReduce::Sum, narrow, total, 3);
	print("wide sum", total, 1);
	TWICE(DeviceReduce::Min, in, one, N);
	print("min", one, 1);
	TWICE(DeviceReduce::Max, floats, sorted, 5);
	print("max", sorted, 1);
	TWICE(DeviceReduce::Reduce, in, one, N, larger(), 20);
	print("larger", one, 1);
	TWICE(DeviceReduce::Sum, in, one, 0);
	print("of nothing", one, 1);

	TWICE(DeviceScan::InclusiveSum, in, out, N);
	print("inclusive", out, N);
	TWICE(DeviceScan::ExclusiveSum, in, out, N);
	print("exclusive", out, N);
	TWICE(DeviceScan::InclusiveScan, in, out, larger(), N);
	print("largest so far", out, N);
	TWICE(DeviceScan::ExclusiveScan, in, out, larger(), 2, N);
	print("before", out, N);
	TWICE(DeviceScan::InclusiveSum, narrow, out, 3);
	print("wide sums", out, 3);
	TWICE(DeviceScan::ExclusiveSum, (bool *)marks, out, N);
	print("places of flags", out, N);

	TWICE(DeviceSelect::If, in, out, one, N, is_positive());
	print("positive", out, 5);
	print("so many", one, 1);
	TWICE(DeviceSelect::Flagged, in, marks, out, one, N);
	print("flagged", out, 4);
	TWICE(DeviceSelect::Unique, in, out, one, N);
	print("once", out, 7);
	print("so many", one, 1);
	TWICE(DeviceHistogram::HistogramEven, in, out, 5, -4, 8, N);
	print("histogram", out, 4);
	TWICE(DeviceSelect::Unique, (bool *)marks, (bool *)device(flags, N),
	      one, N);
	print("changes of flags", one, 1);
	{
		char storage;
		size_t size = 1;

		printf("no bins: %d\n", cub::DeviceHistogram::HistogramEven(
			&storage, size, in, out, 0, -4, 8, N));
	}

	TWICE(DeviceRadixSort::SortKeys, in, out, N);
	print("sorted", out, N);
	TWICE(DeviceRadixSort::SortKeysDescending, floats, sorted, 5);
	print("descending", sorted, 5);
	TWICE(DeviceRadixSort::SortKeys, in, out, N, 0, 2);
	print("by two bits", out, N);
	{
		int *along = device(numbers, N), *moved = device(numbers, N);
		cub::DoubleBuffer<int> keys(in, out), indices(along, moved);

		TWICE(DeviceRadixSort::SortPairs, in, out, along, moved, N);
		print("along", moved, N);
		TWICE(DeviceRadixSort::SortPairs, keys, indices, N);
		print("buffer", keys.Current(), N);
		cudaFree(along);
		cudaFree(moved);
	}

	negate<<<1, N, 0, stream>>>(in);
	TWICE(DeviceReduce::Sum, in, one, N, stream);
	print("after the stream's work", one, 1);
	printf("too little: %d\n", cub::DeviceReduce::Sum(one, none, in, one, N));
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
	cudaStreamDestroy(stream);
	for (void *p : { (void *)in, (void *)out, (void *)one, (void *)floats, (void *)sorted,
			 (void *)narrow, (void *)marks, (void *)total })
		cudaFree(p);
}
