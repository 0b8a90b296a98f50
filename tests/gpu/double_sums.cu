/* double_sums.cu - sums over the bits of a GPU's double functions, with CUDA's own tools only.
 *
 * For each function of kernels/double_list.h prints its name, the sum over all pairs of boundary
 * values, and those over 64 parts of the seeded inputs, in hexadecimal: tests/h200/double_sums.txt
 * has an H200's. Needs no flashtwin; double_sums.sh builds and runs it with these flags:
 * nvcc -O3 -fmad=false -I. -arch=native -o double_sums tests/gpu/double_sums.cu
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/double_list.h"

enum { PARTS = 64 };

#define FUNCTION(id, name, arguments, expression) \
	struct id { \
		static __device__ double at(double x, double y) \
		{ \
			(void)y; \
			return expression; \
		} \
	};
DOUBLE_LIST(FUNCTION)

template <class F> __global__ void sum_inputs(unsigned long long *sums, uint64_t first,
					      uint64_t count)
{
	uint64_t start = first + blockIdx.y * count, sum = 0;

	for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
	     i += (uint64_t)gridDim.x * blockDim.x) {
		double x, y;
		uint64_t number = double_input(start + i, &x, &y);

		sum += double_term(F::at(x, y), number);
	}
	atomicAdd(&sums[blockIdx.y], (unsigned long long)sum);
}

static void check(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "double_sums: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

template <class F> static void print_sums(const char *name)
{
	unsigned long long *sums;

	check(cudaMallocManaged(&sums, (PARTS + 1) * sizeof *sums), "cudaMallocManaged");
	memset(sums, 0, (PARTS + 1) * sizeof *sums);
	sum_inputs<F><<<64, 256>>>(sums, DOUBLE_INPUTS, DOUBLE_PAIRS);
	sum_inputs<F><<<dim3(1024, PARTS), 256>>>(sums + 1, 0, DOUBLE_INPUTS / PARTS);
	check(cudaDeviceSynchronize(), name);
	printf("%s", name);
	for (int i = 0; i <= PARTS; i++)
		printf(" %016llx", sums[i]);
	printf("\n");
	fflush(stdout);
	check(cudaFree(sums), "cudaFree");
}

int main(void)
{
#define PRINT(id, name, arguments, expression) print_sums<id>(name);
	DOUBLE_LIST(PRINT)
	return 0;
}
