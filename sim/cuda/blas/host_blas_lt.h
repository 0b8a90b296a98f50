/* host_blas_lt.h - calls of cuBLASLt, computed by the host's BLAS; see cublasLt.h.
 *
 * A product is that of host_blas.h, in column-major order; what the epilogue does to it follows on
 * the host. What is not here gives CUBLAS_STATUS_NOT_SUPPORTED: other types than float and double,
 * row-major matrices, epilogues of a backward pass. Part of the host code of users' programs.
 */
#ifndef SIM_HOST_BLAS_LT_H
#define SIM_HOST_BLAS_LT_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FT_BLAS static inline __attribute__((unused))

struct cublasLtMatmulDesc {
	cublasComputeType_t compute;
	cudaDataType scale;
	int32_t pointers, transa, transb, transc, epilogue, bias_type;
	const void *bias;               /* of device memory: one value for each row */
	int64_t bias_stride;            /* elements */
};

struct cublasLtMatrixLayout {
	uint32_t type;
	int32_t order, count;           /* count: of matrices */
	uint64_t rows, columns;
	int64_t lead, stride;           /* elements */
};

struct cublasLtMatmulPreference { uint64_t workspace; };

FT_BLAS cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
	{ return cublasCreate((cublasHandle_t *)handle); }
FT_BLAS cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
	{ return cublasDestroy((cublasHandle_t)handle); }

/* --- descriptions --- */

template <class T> FT_BLAS cublasStatus_t ft_lt_new(T **out)
{
	*out = (T *)calloc(1, sizeof(T));
	return *out ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

/* Sets a field from a value of its size. */
template <class T> FT_BLAS cublasStatus_t ft_lt_set(T *field, const void *value, size_t bytes)
{
	if (bytes != sizeof *field)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(field, value, bytes);
	return CUBLAS_STATUS_SUCCESS;
}

FT_BLAS cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
	cublasComputeType_t compute, cudaDataType scale)
{
	cublasStatus_t status = ft_lt_new(desc);

	if (status == CUBLAS_STATUS_SUCCESS) {
		(*desc)->compute = compute;
		(*desc)->scale = scale;
		(*desc)->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
		(*desc)->bias_type = -1;
	}
	return status;
}
FT_BLAS cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
	free(desc);
	return CUBLAS_STATUS_SUCCESS;
}
FT_BLAS cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
	cublasLtMatmulDescAttributes_t attribute, const void *value, size_t bytes)
{
	switch (attribute) {
	case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return ft_lt_set(&desc->compute, value, bytes);
	case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return ft_lt_set(&desc->scale, value, bytes);
	case CUBLASLT_MATMUL_DESC_POINTER_MODE: return ft_lt_set(&desc->pointers, value, bytes);
	case CUBLASLT_MATMUL_DESC_TRANSA: return ft_lt_set(&desc->transa, value, bytes);
	case CUBLASLT_MATMUL_DESC_TRANSB: return ft_lt_set(&desc->transb, value, bytes);
	case CUBLASLT_MATMUL_DESC_TRANSC: return ft_lt_set(&desc->transc, value, bytes);
	case CUBLASLT_MATMUL_DESC_EPILOGUE: return ft_lt_set(&desc->epilogue, value, bytes);
	case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return ft_lt_set(&desc->bias, value, bytes);
	case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE:
		return ft_lt_set(&desc->bias_stride, value, bytes);
	case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return ft_lt_set(&desc->bias_type, value, bytes);
	default: return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

FT_BLAS cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
	cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	cublasStatus_t status = ft_lt_new(layout);

	if (status == CUBLAS_STATUS_SUCCESS) {
		(*layout)->type = type;
		(*layout)->rows = rows;
		(*layout)->columns = cols;
		(*layout)->lead = ld;
		(*layout)->count = 1;
	}
	return status;
}
FT_BLAS cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
	free(layout);
	return CUBLAS_STATUS_SUCCESS;
}
FT_BLAS cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
	cublasLtMatrixLayoutAttribute_t attribute, const void *value, size_t bytes)
{
	switch (attribute) {
	case CUBLASLT_MATRIX_LAYOUT_TYPE: return ft_lt_set(&layout->type, value, bytes);
	case CUBLASLT_MATRIX_LAYOUT_ORDER: return ft_lt_set(&layout->order, value, bytes);
	case CUBLASLT_MATRIX_LAYOUT_ROWS: return ft_lt_set(&layout->rows, value, bytes);
	case CUBLASLT_MATRIX_LAYOUT_COLS: return ft_lt_set(&layout->columns, value, bytes);
	case CUBLASLT_MATRIX_LAYOUT_LD: return ft_lt_set(&layout->lead, value, bytes);
	case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return ft_lt_set(&layout->count, value, bytes);
	case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
		return ft_lt_set(&layout->stride, value, bytes);
	default: return CUBLAS_STATUS_NOT_SUPPORTED;
	}
}

FT_BLAS cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
	{ return ft_lt_new(preference); }
FT_BLAS cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
	free(preference);
	return CUBLAS_STATUS_SUCCESS;
}
/* Hints, which the host's BLAS does not need. */
FT_BLAS cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
	cublasLtMatmulPreferenceAttributes_t, const void *, size_t)
	{ return CUBLAS_STATUS_SUCCESS; }

/* --- products --- */

/* What cublasLtMatmul() can compute; if not, an algorithm is not found either. */
FT_BLAS int ft_lt_supports(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t A,
			   cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C,
			   cublasLtMatrixLayout_t D)
{
	const int plain = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU
		| CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU;
	cudaDataType type = desc->compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F : CUDA_R_32F;

	return A->type == (uint32_t)type && B->type == A->type && C->type == A->type
		&& D->type == A->type && desc->scale == type
		&& (desc->bias_type == -1 || desc->bias_type == (int32_t)type)
		&& A->order == CUBLASLT_ORDER_COL && B->order == CUBLASLT_ORDER_COL
		&& C->order == CUBLASLT_ORDER_COL && D->order == CUBLASLT_ORDER_COL
		&& desc->transc == CUBLAS_OP_N && !(desc->epilogue & ~plain);
}

FT_BLAS cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t desc,
	cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B, cublasLtMatrixLayout_t C,
	cublasLtMatrixLayout_t D, cublasLtMatmulPreference_t, int wanted,
	cublasLtMatmulHeuristicResult_t *results, int *found)
{
	*found = wanted > 0 && ft_lt_supports(desc, A, B, C, D);
	if (!*found)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	memset(results, 0, sizeof *results);
	return CUBLAS_STATUS_SUCCESS;
}

/* The tanh form, as cuBLASLt's documentation says. */
template <class T> FT_BLAS T ft_lt_gelu(T x)
{
	return T(0.5) * x * (1 + tanh(T(0.7978845608028654) * (x + T(0.044715) * x * x * x)));
}

/* What follows the product, of the matrix of one batch. */
template <class T> FT_BLAS cublasStatus_t ft_lt_epilogue(cublasHandle_t handle,
	cublasLtMatmulDesc_t desc, const T *bias, T *D, cublasLtMatrixLayout_t layout)
{
	int has_bias = desc->epilogue & CUBLASLT_EPILOGUE_BIAS, rows = (int)layout->rows;
	int lead = (int)layout->lead, columns = (int)layout->columns;
	size_t bytes = ft_blas_matrix(rows, columns, lead) * sizeof(T);
	T *d = (T *)ft_blas_fetch(handle, D, bytes);
	T *b = has_bias ? (T *)ft_blas_fetch(handle, bias, (size_t)rows * sizeof(T)) : NULL;
	int good = d && (b || !has_bias);

	for (int j = 0; j < columns && good; j++)
		for (int i = 0; i < rows; i++) {
			T *x = &d[(size_t)j * (size_t)lead + (size_t)i];

			if (b)
				*x += b[i];
			if (desc->epilogue & CUBLASLT_EPILOGUE_RELU)
				*x = *x > 0 ? *x : 0;
			if (desc->epilogue & CUBLASLT_EPILOGUE_GELU)
				*x = ft_lt_gelu(*x);
		}
	free(b);
	return ft_blas_return(handle, D, d, bytes, good);
}

FT_BLAS cublasStatus_t ft_lt_gemm(cublasHandle_t h, cublasOperation_t a, cublasOperation_t b, int m,
	int n, int k, const float *alpha, const float *A, int lda, const float *B, int ldb,
	const float *beta, float *C, int ldc)
	{ return cublasSgemm(h, a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc); }
FT_BLAS cublasStatus_t ft_lt_gemm(cublasHandle_t h, cublasOperation_t a, cublasOperation_t b, int m,
	int n, int k, const double *alpha, const double *A, int lda, const double *B, int ldb,
	const double *beta, double *C, int ldc)
	{ return cublasDgemm(h, a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc); }

template <class T> FT_BLAS cublasStatus_t ft_lt_matmul(cublasHandle_t handle,
	cublasLtMatmulDesc_t desc, const T *alpha, const T *A, cublasLtMatrixLayout_t a,
	const T *B, cublasLtMatrixLayout_t b, const T *beta, const T *C, cublasLtMatrixLayout_t c,
	T *D, cublasLtMatrixLayout_t d)
{
	int m = (int)d->rows, n = (int)d->columns;
	int k = (int)(desc->transa ? a->rows : a->columns);
	const T *bias = (const T *)desc->bias;

	for (int i = 0; i < d->count; i++) {
		T *out = D + i * d->stride;
		const T *in = C + i * c->stride;
		cublasStatus_t status;

		if (in != out && cudaMemcpy2DAsync(out, (size_t)d->lead * sizeof(T), in,
						   (size_t)c->lead * sizeof(T),
						   (size_t)m * sizeof(T), (size_t)n,
						   cudaMemcpyDeviceToDevice, handle->stream))
			return CUBLAS_STATUS_EXECUTION_FAILED;
		status = ft_lt_gemm(handle, (cublasOperation_t)desc->transa,
				    (cublasOperation_t)desc->transb, m, n, k, alpha,
				    A + i * a->stride, (int)a->lead, B + i * b->stride,
				    (int)b->lead, beta, out, (int)d->lead);
		if (status == CUBLAS_STATUS_SUCCESS && desc->epilogue != CUBLASLT_EPILOGUE_DEFAULT)
			status = ft_lt_epilogue(handle, desc, bias + i * desc->bias_stride, out, d);
		if (status != CUBLAS_STATUS_SUCCESS)
			return status;
	}
	return CUBLAS_STATUS_SUCCESS;
}

FT_BLAS cublasStatus_t cublasLtMatmul(cublasLtHandle_t lt, cublasLtMatmulDesc_t desc,
	const void *alpha, const void *A, cublasLtMatrixLayout_t a, const void *B,
	cublasLtMatrixLayout_t b, const void *beta, const void *C, cublasLtMatrixLayout_t c,
	void *D, cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *, void *, size_t,
	cudaStream_t stream)
{
	struct cublasContext handle = *(cublasHandle_t)lt;

	handle.stream = stream;
	handle.pointers = (cublasPointerMode_t)desc->pointers;
	if (!ft_lt_supports(desc, a, b, c, d))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (desc->compute == CUBLAS_COMPUTE_64F)
		return ft_lt_matmul(&handle, desc, (const double *)alpha, (const double *)A, a,
				    (const double *)B, b, (const double *)beta, (const double *)C,
				    c, (double *)D, d);
	return ft_lt_matmul(&handle, desc, (const float *)alpha, (const float *)A, a,
			    (const float *)B, b, (const float *)beta, (const float *)C, c,
			    (float *)D, d);
}

#undef FT_BLAS

#endif
