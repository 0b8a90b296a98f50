/* vector_add.cu - the first program of every course, host code and all. */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) do { \
	cudaError_t error = (call); \
	if (error != cudaSuccess) { \
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
		exit(1); \
	} \
} while (0)

__global__ void vectorAdd(const float *a, const float *b, float *c, int numElements)
{
	int i = blockDim.x * blockIdx.x + threadIdx.x;

	if (i < numElements)
		c[i] = a[i] + b[i] + 0.0f;
}

static void fill(std::vector<float> &v)
{
	for (auto &x : v)
		x = rand() / (float)RAND_MAX;
}

int main(int argc, char **argv)
{
	const int n = 1000;
	std::vector<float> a(n), b(n), c(n);
	float *da, *db, *dc;
	cudaEvent_t start;

	fill(a);
	fill(b);
	CHECK(cudaMalloc(&da, n * sizeof(float)));
	CHECK(cudaMalloc(&db, n * sizeof(float)));
	CHECK(cudaMalloc((void **)&dc, n * sizeof(float)));
	CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	cudaEventCreate(&start);
	vectorAdd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
	cudaFree(da);
	printf("%f\n", c[0]);
	return 0;
}
