// host_latch.cu - kernels that poll memory of the host, which stores there after the launch only.
// Work that is queued after them, also in a stream that waits for theirs, is done after them.
#include <cstdio>

__global__ void wait_for(volatile unsigned *latch, int *x)
{
	while (latch[0] < 1)
		;
	*x += 1;
}
__global__ void times(int *x, int by) { *x *= by; }
__global__ void add(int *x, const int *y) { *x += *y; }
__global__ void fill(int *x) { *x = 4; }

int main(int argc, char **)
{
	unsigned *latch;
	int *x, *managed, *got;
	cudaStream_t first, second;
	cudaEvent_t done;

	cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
	cudaEventCreate(&done);
	cudaMallocHost(&latch, sizeof *latch);
	cudaMallocManaged(&managed, sizeof *managed);
	cudaMallocHost(&got, sizeof *got);
	cudaMalloc(&x, sizeof *x);
	*latch = 0;
	fill<<<1, 1, 0, first>>>(x);
	wait_for<<<1, 1, 0, first>>>(latch, x);
	times<<<1, 1, 0, first>>>(x, 10);
	cudaEventRecord(done, first);
	cudaStreamWaitEvent(second, done, 0);
	times<<<1, 1, 0, second>>>(x, 3);
	cudaMemcpyAsync(got, x, sizeof *got, cudaMemcpyDeviceToHost, second);
	if (argc == 1)
		*latch = 1;
	cudaStreamSynchronize(second);
	printf("%d\n", *got);

	*managed = 0;
	cudaDeviceSynchronize();
	wait_for<<<1, 1, 0, first>>>((unsigned *)managed, x);
	add<<<1, 1, 0, first>>>(x, got);        // what the host wrote to *got before
	*managed = 1;
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	cudaMemcpy(got, x, sizeof *got, cudaMemcpyDeviceToHost);
	printf("%d\n", *got);
	cudaFree(x);
	cudaFree(managed);
	cudaFreeHost(latch);
	cudaFreeHost(got);
	cudaStreamDestroy(first);
	cudaStreamDestroy(second);
	cudaEventDestroy(done);
	return 0;
}
