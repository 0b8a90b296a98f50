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
/* What is left of c is c: only a % b is all ones if b is zero. */
__global__ void products(const int *a, const int *b, const int *c, int *out)
{
	int i = threadIdx.x, q = a[i] / b[i];

	out[3 * i] = c[i] - q * b[i];
	out[3 * i + 1] = q;
	out[3 * i + 2] = a[i] % b[i] + 1;
}
__global__ void divide16(const short *a, const short *b, short *out)
{
	int i = threadIdx.x;

	out[2 * i] = a[i] / b[i];
	out[2 * i + 1] = a[i] % b[i];
}
