/* host_blas_ex.h - cuBLAS's products with types of their own for each matrix; see cublas_v2.h.
 *
 * Matrices of half and bfloat16 are widened to float, multiplied by the host's BLAS, and rounded
 * once when they are stored; so are those of CUBLAS_COMPUTE_16F, which a GPU adds up in half. Other
 * combinations of types give CUBLAS_STATUS_NOT_SUPPORTED. Part of the host code of users' programs.
 */
#ifndef SIM_HOST_BLAS_EX_H
#define SIM_HOST_BLAS_EX_H

#include <stdlib.h>

#define FT_BLAS static inline __attribute__((unused))

typedef cublasStatus_t ft_blas_product(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A, int lda,
	const void *B, int ldb, const void *beta, void *C, int ldc);

/* A copy of device memory as floats. */
template <class T> FT_BLAS float *ft_blas_floats(cublasHandle_t handle, const void *device,
						 size_t count)
{
	T *from = (T *)ft_blas_fetch(handle, device, count * sizeof(T));
	float *to = from ? (float *)malloc((count ? count : 1) * sizeof *to) : NULL;

	for (size_t i = 0; to && i < count; i++)
		to[i] = (float)from[i];
	free(from);
	return to;
}

template <class T> FT_BLAS int ft_blas_float_scalar(cublasHandle_t handle, float *to,
						    const void *from)
{
	T value;

	if (!ft_blas_scalar(handle, &value, from, sizeof value))
		return 0;
	*to = (float)value;
	return 1;
}

/* Rounds the m rows of z, and keeps what lies between the columns of C. */
template <class T> FT_BLAS cublasStatus_t ft_blas_round(cublasHandle_t handle, void *C, int m,
							int n, int ldc, const float *z)
{
	size_t bytes = ft_blas_matrix(m, n, ldc) * sizeof(T);
	T *out = (T *)ft_blas_fetch(handle, C, bytes);

	for (size_t j = 0; out && j < (size_t)n; j++)
		for (size_t i = j * (size_t)ldc; i < j * (size_t)ldc + (size_t)m; i++)
			out[i] = T(z[i]);
	return ft_blas_return(handle, C, out, bytes, out != NULL);
}

/* The product of matrices of In, stored as Out, with factors of Scale. */
template <class In, class Out, class Scale> FT_BLAS cublasStatus_t ft_blas_narrow(
	cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
	int k, const void *alpha, const void *A, int lda, const void *B, int ldb, const void *beta,
	void *C, int ldc)
{
	typedef void fn(const char *, const char *, const int *, const int *, const int *,
			const float *, const float *, const int *, const float *, const int *,
			const float *, float *, const int *);
	fn *call = (fn *)dlsym(handle->library, "sgemm_");
	cublasStatus_t status = CUBLAS_STATUS_EXECUTION_FAILED;
	float a, b, *z = ft_blas_floats<Out>(handle, C, ft_blas_matrix(m, n, ldc));
	float *x = ft_blas_floats<In>(handle, A, transa ? ft_blas_matrix(k, m, lda)
						   : ft_blas_matrix(m, k, lda));
	float *y = ft_blas_floats<In>(handle, B, transb ? ft_blas_matrix(n, k, ldb)
						   : ft_blas_matrix(k, n, ldb));

	if (call && x && y && z && ft_blas_float_scalar<Scale>(handle, &a, alpha)
	    && ft_blas_float_scalar<Scale>(handle, &b, beta)) {
		call(transa ? "T" : "N", transb ? "T" : "N", &m, &n, &k, &a, x, &lda, y, &ldb, &b,
		     z, &ldc);
		status = ft_blas_round<Out>(handle, C, m, n, ldc, z);
	}
	free(x);
	free(y);
	free(z);
	return status;
}

FT_BLAS cublasStatus_t ft_blas_float(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A, int lda,
	const void *B, int ldb, const void *beta, void *C, int ldc)
{
	return cublasSgemm(handle, transa, transb, m, n, k, (const float *)alpha, (const float *)A,
			   lda, (const float *)B, ldb, (const float *)beta, (float *)C, ldc);
}
FT_BLAS cublasStatus_t ft_blas_double(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A, int lda,
	const void *B, int ldb, const void *beta, void *C, int ldc)
{
	return cublasDgemm(handle, transa, transb, m, n, k, (const double *)alpha,
			   (const double *)A, lda, (const double *)B, ldb, (const double *)beta,
			   (double *)C, ldc);
}

/* The function for these types, or NULL. */
FT_BLAS ft_blas_product *ft_blas_product_of(cudaDataType A, cudaDataType B, cudaDataType C,
					    cublasComputeType_t compute)
{
	if (A != B)
		return NULL;
	if (compute == CUBLAS_COMPUTE_64F)
		return A == CUDA_R_64F && C == A ? ft_blas_double : NULL;
	if (compute == CUBLAS_COMPUTE_16F)
		return A == CUDA_R_16F && C == A ? ft_blas_narrow<__half, __half, __half> : NULL;
	switch (A) {
	case CUDA_R_32F:
		return C == A ? ft_blas_float : NULL;
	case CUDA_R_16F:
		return C == A ? ft_blas_narrow<__half, __half, float>
			: C == CUDA_R_32F ? ft_blas_narrow<__half, float, float> : NULL;
	case CUDA_R_16BF:
		return C == A ? ft_blas_narrow<__nv_bfloat16, __nv_bfloat16, float>
			: C == CUDA_R_32F ? ft_blas_narrow<__nv_bfloat16, float, float> : NULL;
	default:
		return NULL;
	}
}

FT_BLAS long long ft_blas_size(cudaDataType type)
{
	return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}

FT_BLAS cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A,
	cudaDataType Atype, int lda, long long strideA, const void *B, cudaDataType Btype, int ldb,
	long long strideB, const void *beta, void *C, cudaDataType Ctype, int ldc,
	long long strideC, int count, cublasComputeType_t compute, cublasGemmAlgo_t)
{
	ft_blas_product *product = ft_blas_product_of(Atype, Btype, Ctype, compute);
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

	if (!product)
		return CUBLAS_STATUS_NOT_SUPPORTED;
	for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++)
		status = product(handle, transa, transb, m, n, k, alpha,
				 (const char *)A + i * strideA * ft_blas_size(Atype), lda,
				 (const char *)B + i * strideB * ft_blas_size(Btype), ldb, beta,
				 (char *)C + i * strideC * ft_blas_size(Ctype), ldc);
	return status;
}
FT_BLAS cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const void *alpha, const void *A,
	cudaDataType Atype, int lda, const void *B, cudaDataType Btype, int ldb, const void *beta,
	void *C, cudaDataType Ctype, int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
	return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, 0,
					  B, Btype, ldb, 0, beta, C, Ctype, ldc, 0, 1, compute,
					  algo);
}
FT_BLAS cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const __half *alpha, const __half *A,
	int lda, const __half *B, int ldb, const __half *beta, __half *C, int ldc)
{
	return ft_blas_narrow<__half, __half, __half>(handle, transa, transb, m, n, k, alpha, A,
						      lda, B, ldb, beta, C, ldc);
}
FT_BLAS cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
	cublasOperation_t transb, int m, int n, int k, const __half *alpha, const __half *A,
	int lda, long long strideA, const __half *B, int ldb, long long strideB,
	const __half *beta, __half *C, int ldc, long long strideC, int count)
{
	return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F,
					  lda, strideA, B, CUDA_R_16F, ldb, strideB, beta, C,
					  CUDA_R_16F, ldc, strideC, count, CUBLAS_COMPUTE_16F,
					  CUBLAS_GEMM_DEFAULT);
}

#undef FT_BLAS

#endif
