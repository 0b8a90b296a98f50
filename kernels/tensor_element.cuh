/* tensor_element.cuh - the elements of keys and values as tensor cores take them: two in a
 * register.
 *
 * Used by split_tensor.cuh, after kernels/split_element.cuh. Elements of e4m3 become f16, exactly;
 * the others stay what they are.
 */
#ifndef TENSOR_ELEMENT_CUH
#define TENSOR_ELEMENT_CUH

#include "kernels/split_element.cuh"
#include "kernels/split_rule.h"
#include "sim/cuda/tensor.h"

/* mma.sync for 16 and for 8 products a sum; the first number is in the low half of a pair. */
#ifdef SPLIT_BF16
#define TENSOR_K16 f32_bf16_k16
#define TENSOR_K8 f32_bf16_k8
#define TENSOR_FLOAT(bits) float_of_bf16((unsigned short)(bits))
#define tensor_pair(low, high) bf16x2_of_floats((low), (high))
#else
#define TENSOR_K16 f32_f16_k16
#define TENSOR_K8 f32_f16_k8
#define TENSOR_FLOAT(bits) float_of_f16((unsigned short)(bits))
#define tensor_pair(low, high) f16x2_of_floats((low), (high))
#endif

/* Numbers of the type whose sum a weight becomes; a query's elements become two. With e4m3 one, of
 * f16: values have 4 bits themselves. The sum of weights is that of rounded ones then, so that
 * outputs stay between the smallest value and the largest. */
#ifdef SPLIT_E4M3
#define TENSOR_NUMBERS 1
#else
#define TENSOR_NUMBERS 2
#endif

/* tensor_multiply(), whose name of an instruction may be a macro. */
#define TENSOR_MULTIPLY(id, d, a, b) tensor_multiply(id, d, a, b)

/* Eight elements of a row as they are loaded; tensor_eight() makes pairs of them, and
 * tensor_columns() two pairs of two rows' elements: of elements 2 * i, and of the next ones. */
#ifdef SPLIT_E4M3
typedef uint2 tensor_row;
#define tensor_row_zeros() make_uint2(0, 0)

static __device__ uint4 tensor_eight(tensor_row row)
{
	return make_uint4(f16x2_of_e4m3x2((unsigned short)(row.x & 0xffff)),
			  f16x2_of_e4m3x2((unsigned short)(row.x >> 16)),
			  f16x2_of_e4m3x2((unsigned short)(row.y & 0xffff)),
			  f16x2_of_e4m3x2((unsigned short)(row.y >> 16)));
}

static __device__ uint2 tensor_columns(tensor_row a, tensor_row b, int i)
{
	unsigned codes = __byte_perm(i < 2 ? a.x : a.y, i < 2 ? b.x : b.y,
				     i % 2 == 0 ? 0x5140 : 0x7362);

	return make_uint2(f16x2_of_e4m3x2((unsigned short)(codes & 0xffff)),
			  f16x2_of_e4m3x2((unsigned short)(codes >> 16)));
}
#else
typedef uint4 tensor_row;
#define tensor_row_zeros() make_uint4(0, 0, 0, 0)
#define tensor_eight(row) (row)

static __device__ uint2 tensor_columns(tensor_row a, tensor_row b, int i)
{
	unsigned first = i == 0 ? a.x : i == 1 ? a.y : i == 2 ? a.z : a.w;
	unsigned second = i == 0 ? b.x : i == 1 ? b.y : i == 2 ? b.z : b.w;

	return make_uint2(__byte_perm(first, second, 0x5410),
			  __byte_perm(first, second, 0x7632));
}
#endif

/* A weight as far as it counts. */
static __device__ float tensor_weight(float x)
{
	return TENSOR_NUMBERS == 2 ? x : TENSOR_FLOAT(tensor_pair(x, 0.0f) & 0xffff);
}

/* What rounding to the type leaves of a number; nothing where that is infinite. */
static __device__ float tensor_left(float x, unsigned bits)
{
	float rounded = TENSOR_FLOAT(bits);

	return fabsf(rounded) == INFINITY ? 0.0f : x - rounded;
}

/* The pair of what tensor_pair() has left of two numbers. */
static __device__ unsigned tensor_rest(float low, float high, unsigned pair)
{
	return tensor_pair(tensor_left(low, pair & 0xffff), tensor_left(high, pair >> 16));
}

/* Four elements of a query, as two rows of the first matrix have them: high numbers of the first
 * two, low ones, high numbers of the others, and low ones. */
typedef uint4 tensor_four;
static __device__ tensor_four tensor_four_of(float4 q)
{
	uint4 out;

	out.x = tensor_pair(q.x, q.y);
	out.y = tensor_rest(q.x, q.y, out.x);
	out.z = tensor_pair(q.z, q.w);
	out.w = tensor_rest(q.z, q.w, out.z);
	return out;
}

#endif
