/* half2_math.cu - packed and scalar half precision. */
#include <cuda_fp16.h>

__global__ void axpy(int n, half a, const half *x, half *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const half2 a2 = __half2half2(a);
	const half2 *x2 = reinterpret_cast<const half2 *>(x);
	half2 *y2 = reinterpret_cast<half2 *>(y);

	if (i < n / 2)
		y2[i] = __hfma2(a2, x2[i], y2[i]);
}

__global__ void mixed(const __half2 *x, float2 *out, __half2 *packed)
{
	const int i = threadIdx.x;
	__half2 v = x[i];

	v = __hmul2(v, __floats2half2_rn(2.0f, 3.0f));
	v += __half2(__float2half(1.0f), __float2half(-1.0f));
	packed[i] = __hadd2(v, __low2half2(v));
	out[i] = __half22float2(v);
	out[i].x += __half2float(__low2half(v)) + __half2float(__high2half(v));
	if (__hgt(v.x, v.y))
		out[i].y = -out[i].y;
	out[i].y += (float)hfloor(__half(4.5f)) + __half2float(__hmax(v.x, v.y));
}

__global__ void shuffled(const __half *x, __half *y)
{
	__half v = x[threadIdx.x];

	for (int m = 16; m; m >>= 1)
		v = v + __shfl_xor_sync(0xffffffff, v, m);
	y[threadIdx.x] = v;
}
