// pointers.cu - a list and a table of pointers in device memory, filled by the host and by a kernel; a
// NaN whose bits come from the command line, in memory of floats and of integers.
#include <cstdio>
#include <cstdlib>

struct node {
	float *data;
	int n, pad;
	node *next;
};

__global__ void link(node *list, float *data)
{
	list[1].next = &list[2];
	list[2].next = nullptr;
	list[2].data = data;
	list[2].n = 1;
	list[2].pad = 0;
}

__global__ void sum(const node *list, float **table, float *out)
{
	float s = 0;

	for (const node *at = list; at; at = at->next)
		for (int i = 0; i < at->n; i++)
			s += at->data[i];
	out[0] = s + table[1][2];
}

__global__ void store(int bits, float *x, int *same)
{
	x[0] = __int_as_float(bits);
	same[0] = bits;
}

int main(int argc, char **argv)
{
	float host[4] = { 1, 2, 3, 4 }, *a, *b, *out, **table;
	node *nodes;

	cudaMalloc(&a, sizeof host);
	cudaMalloc(&b, sizeof host);
	cudaMalloc(&out, sizeof(float));
	cudaMalloc(&table, 2 * sizeof(float *));
	cudaMalloc(&nodes, 3 * sizeof(node));
	cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
	cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);

	float *pointers[2] = { a, b };
	node two[2] = { { a, 4, 0, nodes + 1 }, { b, 3, 0, nullptr } };

	cudaMemcpy(table, pointers, sizeof pointers, cudaMemcpyHostToDevice);
	cudaMemcpy(nodes, two, sizeof two, cudaMemcpyHostToDevice);
	link<<<1, 1>>>(nodes, a);
	sum<<<1, 1>>>(nodes, table, out);
	cudaMemcpy(host, out, sizeof(float), cudaMemcpyDeviceToHost);
	printf("%g\n", host[0]);
	store<<<1, 1>>>(argc > 1 ? (int)strtoul(argv[1], nullptr, 16) : 0, out, (int *)a);
	return cudaDeviceSynchronize();
}
