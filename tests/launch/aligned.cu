/* aligned.cu - shared variables that are aligned more than their types. */
template <int N> __global__ void offsets(unsigned *out)
{
	__shared__ char one;
	__shared__ alignas(alignof(float4)) float a[N][N];
	__shared__ char two;
	__shared__ __align__(128) int b[5];
	__shared__ char three;
	__shared__ __attribute__((aligned(64))) char c[N];

	one = two = three = 1;
	out[0] = (unsigned)((unsigned long long)a % 16);
	out[1] = (unsigned)((unsigned long long)b % 128);
	out[2] = (unsigned)((unsigned long long)c % 64);
	out[3] = one + two + three;
}
