/* printing.cu - printf as students use it. */
#include <stdio.h>
#include <assert.h>
__global__ void hello(float f)
{
	assert(blockDim.x == 2 && "two threads");
	printf("Hello from block %d, thread %u\n", blockIdx.x, threadIdx.x);
	if (threadIdx.x == 1) {
		printf("%5d|%-5d|%05d|%+d|%x|%X|%#x|%o\n", 42, 42, 42, 42, 255, 255, 255, 8);
		printf("%f %.3f %e %g %10.2f|\n", f, f, f, f, (double)f);
		printf("%s %c %% %lld %llu %lu %zu\n", "text", 'c', -5ll, 5ull, 6ul, sizeof(int));
		printf("no newline");
		printf("\n");
	}
}
