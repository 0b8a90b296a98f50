/* spmv.cu - CSR matrix times vector, one warp per row, templated on index and value. */
template <typename IndexT, typename ValueT>
struct CsrMatrix { const IndexT *row_ptr; const IndexT *col; const ValueT *val; };

template <typename IndexT, typename ValueT>
__device__ ValueT row_dot(CsrMatrix<IndexT, ValueT> const &A, const ValueT *x, IndexT row, int lane)
{
	ValueT sum = 0;

	for (IndexT j = A.row_ptr[row] + lane; j < A.row_ptr[row + 1]; j += 32)
		sum += A.val[j] * x[A.col[j]];
	for (int d = 16; d; d >>= 1)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	return sum;
}

template <typename IndexT, typename ValueT>
__global__ void spmv(const IndexT *row_ptr, const IndexT *col, const ValueT *val, const ValueT *x,
		     ValueT *y, IndexT rows)
{
	IndexT row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;

	if (row < rows) {
		ValueT sum = row_dot(CsrMatrix<IndexT, ValueT>{row_ptr, col, val}, x, row, lane);
		if (lane == 0)
			y[row] = sum;
	}
}
