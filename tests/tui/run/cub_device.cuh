// cub_device.cuh - arrays of the device, and both calls of an algorithm, for cub_device*.cu
#include <cstdio>
#include <vector>

template <class T> static T *device(const T *from, size_t count)
{
	T *made;

	cudaMalloc(&made, count * sizeof *made);
	cudaMemcpy(made, from, count * sizeof *made, cudaMemcpyHostToDevice);
	return made;
}

template <class T> static void print(const char *name, const T *device, size_t count)
{
	std::vector<T> host(count);

	cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
	printf("%s:", name);
	for (const T &value : host)
		printf(" %g", (double)value);
	printf("\n");
}

// Both calls of an algorithm. One that asks for no storage would not have run.
template <class F> static void twice(F call)
{
	void *storage = nullptr;
	size_t bytes = 0;

	if (call(storage, bytes) != cudaSuccess || bytes == 0)
		printf("no size\n");
	cudaMalloc(&storage, bytes);
	if (call(storage, bytes) != cudaSuccess)
		printf("failed\n");
	cudaFree(storage);
}
#define TWICE(algorithm, ...) \
	twice([&](void *storage, size_t &bytes) \
	      { return cub::algorithm(storage, bytes, __VA_ARGS__); })
