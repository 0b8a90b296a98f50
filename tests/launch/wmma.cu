/* wmma.cu - warp matrix functions: C = A B of 32 x 32 matrices, tile by tile, and a scaled sum. */
#include <mma.h>
using namespace nvcuda;

template <class T, class Sum, int K, class LayoutA, class LayoutB, int M = 16, int N = 16,
	  class Held>
__device__ void product(const Held *a, const Held *b, Sum *c, wmma::layout_t layout)
{
	wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
	wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
	wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
	int warp = threadIdx.x / 32, row = warp / (32 / N) * M, column = warp % (32 / N) * N;
	bool rows = layout == wmma::mem_row_major;

	wmma::fill_fragment(sum, (Sum)0.0f);
	for (int k = 0; k < 32; k += K) {
		wmma::load_matrix_sync(fa, a + (std::is_same<LayoutA, wmma::row_major>::value
						? row * 32 + k : k * 32 + row), 32);
		wmma::load_matrix_sync(fb, b + (std::is_same<LayoutB, wmma::row_major>::value
						? k * 32 + column : column * 32 + k), 32);
		wmma::mma_sync(sum, fa, fb, sum);
	}
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] = sum.x[i] + sum.x[i];
	wmma::store_matrix_sync(c + (rows ? row * 32 + column : column * 32 + row), sum, 32, layout);
}

__global__ void halves(const __half *a, const __half *b, float *c)
{
	product<__half, float, 16, wmma::row_major, wmma::row_major>(a, b, c, wmma::mem_row_major);
}

__global__ void half_sums(const __half *a, const __half *b, __half *c)
{
	product<__half, __half, 16, wmma::row_major, wmma::col_major>(a, b, c, wmma::mem_row_major);
}

__global__ void bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
	product<__nv_bfloat16, float, 16, wmma::col_major, wmma::row_major>(a, b, c,
									    wmma::mem_col_major);
}

__global__ void tf32s(const float *a, const float *b, float *c)
{
	product<wmma::precision::tf32, float, 8, wmma::row_major, wmma::col_major>(
		a, b, c, wmma::mem_row_major);
}

__global__ void bytes(const signed char *a, const signed char *b, int *c)
{
	product<signed char, int, 16, wmma::row_major, wmma::col_major>(a, b, c,
									wmma::mem_row_major);
}

/* --- 32 x 8 and 8 x 32 --- */

__global__ void tall_halves(const __half *a, const __half *b, float *c)
{
	product<__half, float, 16, wmma::row_major, wmma::col_major, 32, 8>(a, b, c,
									    wmma::mem_row_major);
}

__global__ void wide_half_sums(const __half *a, const __half *b, __half *c)
{
	product<__half, __half, 16, wmma::col_major, wmma::row_major, 8, 32>(a, b, c,
									     wmma::mem_col_major);
}

__global__ void tall_bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
	product<__nv_bfloat16, float, 16, wmma::col_major, wmma::col_major, 32, 8>(
		a, b, c, wmma::mem_col_major);
}

__global__ void wide_bfloats(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
	product<__nv_bfloat16, float, 16, wmma::row_major, wmma::row_major, 8, 32>(
		a, b, c, wmma::mem_row_major);
}

__global__ void tall_bytes(const unsigned char *a, const unsigned char *b, int *c)
{
	product<unsigned char, int, 16, wmma::row_major, wmma::row_major, 32, 8>(
		a, b, c, wmma::mem_row_major);
}

__global__ void wide_bytes(const signed char *a, const signed char *b, int *c)
{
	product<signed char, int, 16, wmma::row_major, wmma::col_major, 8, 32>(
		a, b, c, wmma::mem_row_major);
}

/* How many elements fragments have, as in the toolkit's mma.h. */
template <class Use, int M, int N, int K, class T> struct count_of {
	enum { value = wmma::fragment<Use, M, N, K, T, wmma::row_major>::num_elements };
};
static_assert(count_of<wmma::matrix_a, 16, 16, 16, __half>::value == 16
	      && count_of<wmma::matrix_b, 32, 8, 16, __half>::value == 16
	      && count_of<wmma::matrix_a, 8, 32, 16, __half>::value == 16, "halves");
static_assert(count_of<wmma::matrix_a, 16, 16, 16, __nv_bfloat16>::value == 8
	      && count_of<wmma::matrix_a, 32, 8, 16, __nv_bfloat16>::value == 16
	      && count_of<wmma::matrix_b, 32, 8, 16, __nv_bfloat16>::value == 4
	      && count_of<wmma::matrix_a, 8, 32, 16, __nv_bfloat16>::value == 4, "bfloats");
static_assert(count_of<wmma::matrix_a, 16, 16, 16, signed char>::value == 8
	      && count_of<wmma::matrix_a, 32, 8, 16, unsigned char>::value == 16
	      && count_of<wmma::matrix_b, 32, 8, 16, signed char>::value == 4
	      && count_of<wmma::matrix_b, 8, 32, 16, signed char>::value == 16
	      && count_of<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32>::value == 4, "others");

/* A sum of products of any floats does not depend on the shape: c is by 16 x 16, and differ[0] and
 * differ[1] count elements that 32 x 8 and 8 x 32 have in other bits. */
__global__ void shapes(const __half *a, const __half *b, float *c, unsigned *differ)
{
	__shared__ float tall[1024], wide[1024];

	product<__half, float, 16, wmma::row_major, wmma::col_major>(a, b, c, wmma::mem_row_major);
	product<__half, float, 16, wmma::row_major, wmma::col_major, 32, 8>(a, b, tall,
									    wmma::mem_row_major);
	product<__half, float, 16, wmma::row_major, wmma::col_major, 8, 32>(a, b, wide,
									    wmma::mem_row_major);
	__syncthreads();
	for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
		atomicAdd(&differ[0], __float_as_uint(tall[i]) != __float_as_uint(c[i]));
		atomicAdd(&differ[1], __float_as_uint(wide[i]) != __float_as_uint(c[i]));
	}
}
