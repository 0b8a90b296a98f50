/* devices.cu - a program for two devices: what one may do with memory and streams of the other.
 * Prints an error code for each question. `nothing` ends after a launch that no peer allows. */
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

enum { N = 1024, BYTES = N * sizeof(int) };

__global__ void twice(const int *from, int *to)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	to[i] = 2 * from[i];
}

static void ask(const char *what, cudaError_t error)
{
	printf("%s %d\n", what, (int)error);
	cudaGetLastError();
}

static int *numbers(int device, int first)
{
	int host[N], *memory;

	cudaSetDevice(device);
	cudaMalloc(&memory, BYTES);
	for (int i = 0; i < N; i++)
		host[i] = first + i;
	cudaMemcpy(memory, host, BYTES, cudaMemcpyHostToDevice);
	return memory;
}

static bool holds(const int *memory, int first, int step)
{
	static int host[N];

	if (cudaMemcpy(host, memory, BYTES, cudaMemcpyDefault) != cudaSuccess)
		return false;
	for (int i = 0; i < N; i++)
		if (host[i] != first + i * step)
			return false;
	return true;
}

static void peers(int *a, int *b)
{
	cudaPointerAttributes where;
	int can, count;

	cudaGetDeviceCount(&count);
	printf("devices %d\n", count);
	ask("can", cudaDeviceCanAccessPeer(&can, 0, 1));
	cudaPointerGetAttributes(&where, b);
	printf("can %d, b on %d\n", can, where.device);
	ask("itself", cudaDeviceEnablePeerAccess(1, 0));
	ask("absent", cudaDeviceEnablePeerAccess(count, 0));
	ask("disable", cudaDeviceDisablePeerAccess(0));
	ask("enable", cudaDeviceEnablePeerAccess(0, 0));
	ask("again", cudaDeviceEnablePeerAccess(0, 0));
	twice<<<N / 128, 128>>>(a, b);
	ask("kernel", cudaDeviceSynchronize());
	printf("doubled %d\n", holds(b, 2, 2));
	ask("copy", cudaMemcpyPeer(a, 0, b, 1, BYTES));
	printf("copied %d\n", holds(a, 2, 2));
}

/* Memory of a pool is open to whom the pool allows. */
static void pools(int *b)
{
	cudaMemAccessDesc access;
	cudaMemAccessFlags flags;
	cudaMemPool_t pool;
	cudaStream_t s[2];
	cudaEvent_t ready;
	int *a, *from;

	from = numbers(0, 7);
	cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
	cudaEventCreate(&ready);
	cudaDeviceGetDefaultMemPool(&pool, 0);
	cudaMallocAsync(&a, BYTES, s[0]);
	cudaMemcpyAsync(a, from, BYTES, cudaMemcpyDeviceToDevice, s[0]);
	cudaEventRecord(ready, s[0]);
	cudaSetDevice(1);
	cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
	memset(&access, 0, sizeof access);
	access.location.type = cudaMemLocationTypeDevice;
	access.location.id = 1;
	access.flags = cudaMemAccessFlagsProtReadWrite;
	cudaMemPoolGetAccess(&flags, pool, &access.location);
	printf("before %d\n", (int)flags);
	ask("pool", cudaMemPoolSetAccess(pool, &access, 1));
	cudaMemPoolGetAccess(&flags, pool, &access.location);
	printf("after %d\n", (int)flags);
	ask("wait", cudaStreamWaitEvent(s[1], ready, 0));
	twice<<<N / 128, 128, 0, s[1]>>>(a, b);
	ask("pool kernel", cudaGetLastError());
	ask("free", cudaFreeAsync(a, s[1]));
	ask("stream", cudaStreamSynchronize(s[1]));
	printf("doubled %d\n", holds(b, 14, 2));
	ask("record", cudaEventRecord(ready, s[1]));
	twice<<<N / 128, 128, 0, s[0]>>>(b, b);
	ask("other's stream", cudaGetLastError());
}

static void no_peer(int *a, int *b)
{
	cudaSetDevice(0);
	twice<<<N / 128, 128>>>(b, a);
	ask("no peer", cudaDeviceSynchronize());
	cudaSetDevice(1);
	ask("the other", cudaDeviceSynchronize());
	ask("none", cudaSetDevice(2));
}

int main()
{
	int *a = numbers(0, 1), *b = numbers(1, 0);

	peers(a, b);
	pools(b);
	no_peer(a, b);
	return 0;
}
