// constants.cu - the bytes of a file's __constant__ variables; with an argument a kernel writes
// one.
#include <cstdio>

#include <cuda_runtime.h>

__constant__ int count = 3;
__constant__ float weights[64];         // the host's compiler aligns it to more than 4 bytes
__constant__ float factor = 2;

__global__ void read(int *out)
{
	out[0] = count + (int)(weights[5] * factor);
}

__global__ void write(int *out)
{
	int *place = (int *)&count;

	place[0] = 4;
	out[0] = place[0];
}

int main(int argc, char **)
{
	cudaFuncAttributes is;
	int *out, seen = -1;

	cudaMalloc(&out, sizeof seen);
	cudaFuncGetAttributes(&is, read);
	if (argc > 1)
		write<<<1, 1>>>(out);
	else
		read<<<1, 1>>>(out);
	cudaMemcpy(&seen, out, sizeof seen, cudaMemcpyDeviceToHost);
	printf("%zu bytes, %d, %s\n", is.constSizeBytes, seen, cudaGetErrorString(cudaGetLastError()));
	cudaFree(out);
	return 0;
}
