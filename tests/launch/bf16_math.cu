/* bf16_math.cu - bfloat16 in and out, packed and scalar arithmetic. */
#include <cuda_bf16.h>
using bf16 = __nv_bfloat16;

__global__ void scale(const __nv_bfloat16 *x, bf16 *y, float s, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[i] = __float2bfloat16(__bfloat162float(x[i]) * s);
}

template <typename T> __device__ T twice(T x) { return x + x; }

__global__ void packed(const __nv_bfloat162 *x, __nv_bfloat162 *y, float *z)
{
	int i = threadIdx.x;
	__nv_bfloat162 v = __hmul2(x[i], __float2bfloat162_rn(0.5f));

	v = __hfma2(v, v, x[i]);
	y[i] = v;
	bf16 sum = __hadd(v.x, v.y);
	sum = twice<bf16>(sum) - bf16(1.0f);
	z[i] = (float)sum + __bfloat162float(__hmax(v.x, v.y)) + float(v.x < v.y);
}
