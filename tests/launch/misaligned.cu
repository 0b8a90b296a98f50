/* misaligned.cu - a float4 read at an address that is not a multiple of 16. */
__global__ void read4(const float *in, float *out)
{
	float4 v = *(const float4 *)(in + 1);

	out[threadIdx.x] = v.x;
}
__global__ void read_int(const char *in, int *out)
{
	out[threadIdx.x] = *(const int *)(in + threadIdx.x);
}
