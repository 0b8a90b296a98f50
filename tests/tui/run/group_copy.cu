// group_copy.cu - memcpy_async() of a group, in a program that includes no other header for copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void reverse(const int *in, int *out)
{
	__shared__ int tile[96];
	cg::thread_block block = cg::this_thread_block();

	cg::memcpy_async(block, tile, in + blockIdx.x * 96, sizeof tile);
	cg::wait(block);
	out[blockIdx.x * 96 + threadIdx.x] = tile[95 - threadIdx.x];
}

int main()
{
	int *in, *out, wrong = 0;

	cudaMallocManaged(&in, 192 * sizeof *in);
	cudaMallocManaged(&out, 192 * sizeof *out);
	for (int i = 0; i < 192; i++)
		in[i] = i * i;
	reverse<<<2, 96>>>(in, out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 192; i++)
		wrong += out[i] != in[i / 96 * 96 + 95 - i % 96];
	printf("%d wrong\n", wrong);
	cudaFree(in);
	cudaFree(out);
}
