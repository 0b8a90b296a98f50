// cub_runs.cu - CUB's device-wide algorithms by key, of runs, segments, partitions, and in place.
#include <cstdio>

#include <cub/cub.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "cub_device.cuh"

static const int keys_of[] = { 2, 2, 7, 7, 7, 2, 9, 9 };
static const float values_of[] = { 1.0f, 2.5f, -3.0f, 8.0f, 8.0f, 0.5f, -3.0f, 4.0f };
static const int N = sizeof keys_of / sizeof keys_of[0];

struct is_odd {
	__host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct both_odd_or_even {
	__host__ __device__ bool operator()(int a, int b) const { return (a - b) % 2 == 0; }
};
struct larger {
	__host__ __device__ float operator()(float a, float b) const { return a > b ? a : b; }
};
struct total {
	__host__ __device__ float operator()(float a, float b) const { return a + b; }
};
struct square {
	__host__ __device__ float operator()(float x) const { return x * x; }
};

static void print_pair(const char *name, const cub::KeyValuePair<int, float> *device)
{
	cub::KeyValuePair<int, float> pair;

	cudaMemcpy(&pair, device, sizeof pair, cudaMemcpyDeviceToHost);
	printf("%s: %g at %d\n", name, pair.value, pair.key);
}

int main()
{
	int *keys = device(keys_of, N), *out = device(keys_of, N), *number = device(keys_of, 1);
	int *sizes = device(keys_of, N), *in_place = device(keys_of, N);
	float *values = device(values_of, N), *sums = device(values_of, N);
	cub::KeyValuePair<int, float> none = { 0, 0.0f }, *pair = device(&none, 1);
	long long zero = 0, *place = device(&zero, 1);
	char flags[] = { 0, 1, 1, 0, 0, 1, 0, 1 }, *marks = device(flags, N);
	int begins[] = { 0, 3, 3, 5 }, ends[] = { 3, 3, 5, 8 };
	int *from = device(begins, 4), *to = device(ends, 4);
	int levels[] = { 0, 2, 3, 9 }, *limits = device(levels, 4);

	TWICE(DeviceReduce::ArgMin, values, sums, place, N);
	print("least", sums, 1);
	print("at", place, 1);
	TWICE(DeviceReduce::ArgMax, values, pair, N);
	print_pair("largest", pair);
	TWICE(DeviceReduce::ArgMax, values, pair, 0);
	print_pair("of nothing", pair);
	TWICE(DeviceReduce::TransformReduce, values, sums, 3, total(), square(), 1.0f);
	print("squares", sums, 1);
	TWICE(DeviceReduce::ReduceByKey, keys, out, values, sums, number, total(), N);
	print("keys", out, 4);
	print("sums", sums, 4);
	print("so many", number, 1);
	TWICE(DeviceSegmentedReduce::Sum, values, sums, 4, from, to);
	print("of segments", sums, 4);
	TWICE(DeviceSegmentedReduce::Reduce, values, sums, 4, from, to, larger(), 2.0f);
	print("at least 2", sums, 4);
	TWICE(DeviceSegmentedReduce::Min, keys, out, 1, from, to);
	print("least of one", out, 1);

	TWICE(DeviceScan::InclusiveSumByKey, keys, values, sums, N);
	print("inclusive by key", sums, N);
	TWICE(DeviceScan::ExclusiveSumByKey, keys, values, sums, N);
	print("exclusive by key", sums, N);
	TWICE(DeviceScan::InclusiveScanByKey, keys, values, sums, larger(), N, both_odd_or_even());
	print("of odd and of even", sums, N);
	TWICE(DeviceScan::ExclusiveScanByKey, keys, values, sums, larger(), 0.0f, N);
	print("before, by key", sums, N);
	TWICE(DeviceScan::InclusiveScanInit, values, sums, larger(), 2.0f, N);
	print("from 2", sums, N);
	TWICE(DeviceScan::ExclusiveSum, in_place, N);
	print("in place", in_place, N);
	TWICE(DeviceScan::InclusiveScan, sums, total(), 3);
	print("in place", sums, 4);

	TWICE(DeviceRunLengthEncode::Encode, keys, out, sizes, number, N);
	print("runs of", out, 4);
	print("lengths", sizes, 4);
	print("so many", number, 1);
	TWICE(DeviceRunLengthEncode::NonTrivialRuns, keys, out, sizes, number, N);
	print("runs at", out, 3);
	print("lengths", sizes, 3);
	print("so many", number, 1);
	TWICE(DeviceSelect::UniqueByKey, keys, values, out, sums, number, N);
	print("keys once", out, 4);
	print("values", sums, 4);
	TWICE(DevicePartition::If, keys, out, number, N, is_odd());
	print("odd, then even", out, N);
	TWICE(DevicePartition::Flagged, values, marks, sums, number, N);
	print("flagged, then not", sums, N);
	print("so many", number, 1);
	TWICE(DeviceSelect::If, in_place, number, N, is_odd());
	print("odd in place", in_place, 3);
	print("so many", number, 1);
	TWICE(DeviceHistogram::HistogramRange, keys, out, 4, limits, N);
	print("histogram", out, 3);
	printf("%s\n", cudaGetErrorString(cudaGetLastError()));
	for (void *p : { (void *)keys, (void *)out, (void *)number, (void *)sizes,
			 (void *)in_place, (void *)values, (void *)sums, (void *)pair,
			 (void *)place, (void *)marks, (void *)from, (void *)to, (void *)limits })
		cudaFree(p);
}
