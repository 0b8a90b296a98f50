/* division.cu - integer division by zero: no fault on a GPU. */
__global__ void divide(const int *a, const int *b, int *out)
{
	int i = threadIdx.x;

	out[4 * i] = a[i] / b[i];
	out[4 * i + 1] = a[i] % b[i];
	out[4 * i + 2] = (unsigned)a[i] / (unsigned)b[i];
	out[4 * i + 3] = (unsigned)a[i] % (unsigned)b[i];
}
__global__ void divide64(const long long *a, const long long *b, long long *out)
{
	int i = threadIdx.x;

	out[4 * i] = a[i] / b[i];
	out[4 * i + 1] = a[i] % b[i];
	out[4 * i + 2] = (unsigned long long)a[i] / (unsigned long long)b[i];
	out[4 * i + 3] = (unsigned long long)a[i] % (unsigned long long)b[i];
}
__global__ void divide16(const short *a, const short *b, short *out)
{
	int i = threadIdx.x;

	out[2 * i] = a[i] / b[i];
	out[2 * i + 1] = a[i] % b[i];
}
