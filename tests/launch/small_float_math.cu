/* small_float_math.cu - the functions of 16-bit floats, for every argument. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ unsigned short bits(__half x) { return __half_as_ushort(x); }
__device__ unsigned short bits(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
__device__ void from_bits(unsigned short b, __half &x) { x = __ushort_as_half(b); }
__device__ void from_bits(unsigned short b, __nv_bfloat16 &x) { x = __ushort_as_bfloat16(b); }

template <class T>
__global__ void functions(unsigned short *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	T x;

	from_bits((unsigned short)i, x);
	out[i] = bits(hexp(x));
	out[65536 + i] = bits(hexp2(x));
	out[2 * 65536 + i] = bits(hexp10(x));
	out[3 * 65536 + i] = bits(hlog(x));
	out[4 * 65536 + i] = bits(hlog2(x));
	out[5 * 65536 + i] = bits(hlog10(x));
	out[6 * 65536 + i] = bits(hsin(x));
	out[7 * 65536 + i] = bits(hcos(x));
	out[8 * 65536 + i] = bits(hrcp(x));
	out[9 * 65536 + i] = bits(hrsqrt(x));
	out[10 * 65536 + i] = bits(htanh(x));
}
