/* wmma.cu - warp matrix functions: C = A B of 32 x 32 matrices, tile by tile, and a scaled sum. */
#include <mma.h>
using namespace nvcuda;

template <class T, class Sum, int K, class LayoutA, class LayoutB, class Held>
__device__ void product(const Held *a, const Held *b, Sum *c, wmma::layout_t layout)
{
	wmma::fragment<wmma::matrix_a, 16, 16, K, T, LayoutA> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, K, T, LayoutB> fb;
	wmma::fragment<wmma::accumulator, 16, 16, K, Sum> sum;
	int row = threadIdx.x / 64 * 16, column = threadIdx.x / 32 % 2 * 16;
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
