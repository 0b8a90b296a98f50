// heap.cu - memory that kernels allocate. The argument chooses what main() launches.
#include <cstdio>
#include <cstring>

struct node { int value; node *next; };
__global__ void build(node **heads)
{
	node *head = nullptr;

	for (int i = 0; i < 4; i++) {
		node *n = (node *)malloc(sizeof(node));

		n->value = threadIdx.x * 10 + i;
		n->next = head;
		head = n;
	}
	heads[threadIdx.x] = head;
}
__global__ void sum(node **heads, int *out)
{
	int total = 0;

	for (node *n = heads[threadIdx.x]; n; ) {
		node *old = n;

		total += n->value;
		n = n->next;
		free(old);
	}
	out[threadIdx.x] = total;
}

struct shape {
	__device__ virtual int sides() const = 0;
	__device__ virtual ~shape() { }
};
struct polygon : shape {
	int count;
	__device__ polygon(int n) : count(n) { }
	__device__ int sides() const override { return count; }
};
__global__ void objects(int *out)
{
	shape *s = new polygon(threadIdx.x + 5);
	int *list = new int[10];

	list[9] = s->sides();
	out[threadIdx.x] = list[9];
	delete s;
	delete[] list;
}
__global__ void until_full(int *out)
{
	int count = 0;

	while (char *p = (char *)malloc(1 << 20))
		p[count++] = 1;
	out[0] = count;
	out[1] = !new int[4 << 20];
}

__global__ void large(int *out) { out[0] = (out[1] = !malloc(31 << 20)) || malloc(8 << 20); }
__global__ void release_none(int *none)
{
	free(none);
	delete none;
}
__global__ void aligned(int *out)
{
	volatile float *p = (float *)malloc(5);

	out[0] = (size_t)p % 16;
	*p = 1;
	free((void *)p);
}

// The size is set before a kernel allocates, and not later. It need not be a multiple of anything.
static void limits(int *out)
{
	const cudaLimit heap = cudaLimitMallocHeapSize;
	size_t bytes;

	cudaDeviceGetLimit(&bytes, heap);
	printf("default: %zu\n", bytes);
	printf("larger than the memory: %d\n", cudaDeviceSetLimit(heap, (size_t)1 << 40));
	release_none<<<1, 1>>>(nullptr);
	printf("large: %d\n", cudaDeviceSetLimit(heap, (32 << 20) + 1));
	cudaDeviceGetLimit(&bytes, heap);
	printf("set: %zu, %d\n", bytes, cudaGetLastError());
	large<<<1, 1>>>(out);
	printf("in use: %d\n", cudaDeviceSetLimit(heap, 64 << 20));
	cudaDeviceGetLimit(&bytes, heap);
	printf("still: %zu, %d\n", bytes, cudaGetLastError());
	cudaDeviceSynchronize();
	printf("fits: %d %d\n", out[0], out[1]);
	aligned<<<1, 1>>>(out);
	cudaDeviceSynchronize();
	printf("odd: %d\n", out[0]);
}

// A reset frees the heap and restores all limits.
static int *reset()
{
	const cudaLimit heap = cudaLimitMallocHeapSize;
	size_t bytes, stack;
	int *out;

	printf("reset: %d, ", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
	printf("%d, ", cudaDeviceReset());
	cudaDeviceGetLimit(&bytes, heap);
	cudaDeviceGetLimit(&stack, cudaLimitStackSize);
	printf("%zu %zu, ", bytes, stack);
	printf("%d\n", cudaDeviceSetLimit(heap, 1000004));
	cudaMallocManaged(&out, 8 * sizeof *out);
	for (int turn = 0; turn < 2; turn++) {
		large<<<1, 1>>>(out);
		cudaDeviceSynchronize();
		printf("too small: %d\n", out[1]);
		aligned<<<1, 1>>>(out);
		cudaDeviceSynchronize();
		printf("odd: %d, in use: %d\n", out[0], cudaDeviceSetLimit(heap, 64 << 20));
	}
	return out;
}

__device__ int *kept;
__global__ void past_the_end(int *out)
{
	kept = (int *)malloc(10 * sizeof(int));
	kept[10] = 1;
}
__global__ void unwritten(int *out)
{
	kept = new int[4];
	out[0] = kept[1];
}
__global__ void release() { delete[] kept; }
__global__ void read(int *out) { out[0] = *kept; }

int main(int, char **argv)
{
	const char *what = argv[1];
	node **heads = nullptr;
	int *out;

	cudaMallocManaged(&out, 8 * sizeof *out);
	if (strcmp(what, "right") == 0) {
		cudaMalloc(&heads, 8 * sizeof *heads);
		build<<<1, 8>>>(heads);
		sum<<<1, 8>>>(heads, out);
		cudaDeviceSynchronize();
		printf("lists: %d %d\n", out[0], out[7]);
		objects<<<1, 8>>>(out);
		cudaDeviceSynchronize();
		printf("objects: %d\n", out[7]);
		until_full<<<1, 1>>>(out);
		cudaDeviceSynchronize();
		printf("full: %d %d\n", out[0], out[1]);
	} else if (strcmp(what, "limits") == 0) {
		limits(out);
		out = reset();
	} else if (strcmp(what, "past") == 0) {
		past_the_end<<<1, 1>>>(out);
	} else if (strcmp(what, "unwritten") == 0) {
		unwritten<<<1, 1>>>(out);
	} else {
		unwritten<<<1, 1>>>(out);
		release<<<1, 1>>>();
		if (strcmp(what, "stale") == 0)
			read<<<1, 1>>>(out);
		else
			release<<<1, 1>>>();
	}
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	cudaFree(heads);
	cudaFree(out);
}
