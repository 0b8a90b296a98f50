/* const_pointers.cu - device variables that are const pointers, which nothing can set. */
__device__ int five = 5, seven = 7;
__device__ const int *const table[] = { &five, &seven };
__constant__ const char *const names[] = { "ab", "cd" };
__device__ const int *pointer = &five;

__global__ void pick(int *out)
{
	int i = (int)threadIdx.x;

	out[i] = *table[i] + names[i][1] - 'a' + *pointer;
}
