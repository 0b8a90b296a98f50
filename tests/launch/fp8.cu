/* fp8.cu - 8-bit floats of every half, by both ways to overflow, and the value of every code. */
#include <cuda_fp8.h>

template <class T, __nv_fp8_interpretation_t KIND>
__global__ void convert(unsigned char *out, float *value, int *integer)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	__half_raw raw = { (unsigned short)i };
	__half x = raw;
	T code;

	out[i] = __nv_cvt_float_to_fp8((float)x, __NV_NOSAT, KIND);
	out[65536 + i] = T(x).__x;
	out[2 * 65536 + i] = T((double)(float)x).__x;
	if (i >= 256)
		return;
	code.__x = (__nv_fp8_storage_t)i;
	value[i] = (float)code;
	integer[i] = (int)code;
}

__global__ void vectors(const float4 *in, __nv_fp8x4_e4m3 *out, float4 *back)
{
	float4 v = in[threadIdx.x];
	__nv_fp8x2_e4m3 low(__floats2half2_rn(v.x, v.y)), high(make_float2(v.z, v.w));
	__nv_fp8x4_e4m3 all(v);

	out[threadIdx.x].__x = low.__x | (unsigned)high.__x << 16;
	if (all.__x == out[threadIdx.x].__x)
		back[threadIdx.x] = (float4)all;
}
