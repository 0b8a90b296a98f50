/* small_floats.cu - every unary function of every 16-bit float, and rounding in all modes. */
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__device__ unsigned short bits(__half x) { return __half_as_ushort(x); }
__device__ unsigned short bits(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
__device__ void from_bits(unsigned short b, __half &x) { x = __ushort_as_half(b); }
__device__ void from_bits(unsigned short b, __nv_bfloat16 &x) { x = __ushort_as_bfloat16(b); }
__device__ void round_all(float f, __half *r)
{
	r[0] = __float2half_rn(f);
	r[1] = __float2half_rz(f);
	r[2] = __float2half_rd(f);
	r[3] = __float2half_ru(f);
}
__device__ void round_all(float f, __nv_bfloat16 *r)
{
	r[0] = __float2bfloat16_rn(f);
	r[1] = __float2bfloat16_rz(f);
	r[2] = __float2bfloat16_rd(f);
	r[3] = __float2bfloat16_ru(f);
}

template <class T>
__global__ void unary(float *value, unsigned short *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	T x;

	from_bits((unsigned short)i, x);
	value[i] = (float)x;
	out[i] = bits(-x);
	out[65536 + i] = bits(__habs(x));
	out[2 * 65536 + i] = bits(hfloor(x));
	out[3 * 65536 + i] = bits(hceil(x));
	out[4 * 65536 + i] = bits(htrunc(x));
	out[5 * 65536 + i] = bits(hrint(x));
	out[6 * 65536 + i] = bits(hsqrt(x));
}

template <class T>
__global__ void rounding(const float *in, unsigned short *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	T r[4];

	if (i >= n)
		return;
	round_all(in[i], r);
	for (int k = 0; k < 4; k++)
		out[4 * i + k] = bits(r[k]);
}

template <class T>
__global__ void binary(const unsigned short *in, unsigned short *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	T a, b, c;

	if (i >= n)
		return;
	from_bits(in[3 * i], a);
	from_bits(in[3 * i + 1], b);
	from_bits(in[3 * i + 2], c);
	out[6 * i] = bits(__hadd(a, b));
	out[6 * i + 1] = bits(__hsub(a, b));
	out[6 * i + 2] = bits(__hmul(a, b));
	out[6 * i + 3] = bits(__hdiv(a, b));
	out[6 * i + 4] = bits(__hfma(a, b, c));
	out[6 * i + 5] = bits(__hmax(a, b)) ^ bits(__hmin(a, c));
}
