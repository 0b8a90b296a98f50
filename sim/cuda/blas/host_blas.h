/* host_blas.h - calls of cuBLAS, computed by the host's BLAS; see cublas_v2.h.
 *
 * Each call copies its operands from the device in its stream, waits, computes, and copies the
 * result back. So the order of the stream holds, and a trace has the result as an upload, which is
 * never compared with a GPU's: cuBLAS adds up in an order of its own. A stream that is captured
 * cannot wait, and the call fails. The library is opened by the first cublasCreate(). Part of the
 * host code of users' programs.
 */
#ifndef SIM_HOST_BLAS_H
#define SIM_HOST_BLAS_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct cublasContext {
	void *library;
	cudaStream_t stream;
	cublasPointerMode_t pointers;
	cublasMath_t math;
};

#define FT_BLAS static inline __attribute__((unused))

FT_BLAS cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
	static const char *const names[] = { "libopenblas.so.0", "libopenblas.so", "libblas.so.3" };
	void *library = NULL;

	for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "cuBLAS needs a BLAS library: apt-get install libopenblas-dev\n");
		exit(2);
	}
	*handle = (cublasHandle_t)calloc(1, sizeof **handle);
	if (!*handle)
		return CUBLAS_STATUS_ALLOC_FAILED;
	(*handle)->library = library;
	return CUBLAS_STATUS_SUCCESS;
}

FT_BLAS cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
	if (!handle)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	dlclose(handle->library);
	free(handle);
	return CUBLAS_STATUS_SUCCESS;
}

#define FT_BLAS_SETTING(name, type, field) \
	FT_BLAS cublasStatus_t cublasSet##name(cublasHandle_t handle, type value) \
		{ handle->field = value; return CUBLAS_STATUS_SUCCESS; } \
	FT_BLAS cublasStatus_t cublasGet##name(cublasHandle_t handle, type *value) \
		{ *value = handle->field; return CUBLAS_STATUS_SUCCESS; }
FT_BLAS_SETTING(Stream, cudaStream_t, stream)
FT_BLAS_SETTING(PointerMode, cublasPointerMode_t, pointers)
FT_BLAS_SETTING(MathMode, cublasMath_t, math)
#undef FT_BLAS_SETTING

/* --- operands --- */

/* A copy of device memory after what the stream has to do; NULL: it cannot be had. */
FT_BLAS void *ft_blas_fetch(cublasHandle_t handle, const void *device, size_t bytes)
{
	void *host = malloc(bytes ? bytes : 1);

	if (host && bytes
	    && (cudaMemcpyAsync(host, device, bytes, cudaMemcpyDefault, handle->stream)
		|| cudaStreamSynchronize(handle->stream))) {
		free(host);
		return NULL;
	}
	return host;
}

/* Copies a result back if all went well, and frees it. */
FT_BLAS cublasStatus_t ft_blas_return(cublasHandle_t handle, void *device, void *host, size_t bytes,
				      int good)
{
	if (good && bytes)
		good = !cudaMemcpyAsync(device, host, bytes, cudaMemcpyDefault, handle->stream)
			&& !cudaStreamSynchronize(handle->stream);
	free(host);
	return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/* alpha or beta, which is on the device if the handle says so. */
FT_BLAS int ft_blas_scalar(cublasHandle_t handle, void *to, const void *from, size_t bytes)
{
	if (cudaStreamSynchronize(handle->stream))
		return 0;
	return !cudaMemcpy(to, from, bytes, handle->pointers == CUBLAS_POINTER_MODE_DEVICE
			   ? cudaMemcpyDefault : cudaMemcpyHostToHost);
}

FT_BLAS size_t ft_blas_matrix(int rows, int columns, int lead)
{
	return rows > 0 && columns > 0 ? (size_t)lead * (size_t)(columns - 1) + (size_t)rows : 0;
}

FT_BLAS size_t ft_blas_vector(int n, int step)
{
	return n > 0 ? (size_t)(n - 1) * (size_t)abs(step) + 1 : 0;
}

/* --- one function for float and double; Fortran's take pointers --- */

#define FT_BLAS_FUNCTIONS(T, S, s) \
	FT_BLAS cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t transa, \
		cublasOperation_t transb, int m, int n, int k, const T *alpha, const T *A, \
		int lda, const T *B, int ldb, const T *beta, T *C, int ldc) \
	{ \
		typedef void fn(const char *, const char *, const int *, const int *, const int *, \
				const T *, const T *, const int *, const T *, const int *, \
				const T *, T *, const int *); \
		fn *call = (fn *)dlsym(handle->library, #s "gemm_"); \
		size_t bytes = ft_blas_matrix(m, n, ldc) * sizeof(T); \
		T a = 0, b = 0; \
		T *x = (T *)ft_blas_fetch(handle, A, sizeof(T) * (transa ? \
				ft_blas_matrix(k, m, lda) : ft_blas_matrix(m, k, lda))); \
		T *y = (T *)ft_blas_fetch(handle, B, sizeof(T) * (transb ? \
				ft_blas_matrix(n, k, ldb) : ft_blas_matrix(k, n, ldb))); \
		T *z = (T *)ft_blas_fetch(handle, C, bytes); \
		int good = call && x && y && z && ft_blas_scalar(handle, &a, alpha, sizeof a) \
			&& ft_blas_scalar(handle, &b, beta, sizeof b); \
	\
		if (good) \
			call(transa ? "T" : "N", transb ? "T" : "N", &m, &n, &k, &a, x, &lda, y, \
			     &ldb, &b, z, &ldc); \
		free(x); \
		free(y); \
		return ft_blas_return(handle, C, z, bytes, good); \
	} \
	FT_BLAS cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t handle, \
		cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, \
		const T *alpha, const T *A, int lda, long long strideA, const T *B, int ldb, \
		long long strideB, const T *beta, T *C, int ldc, long long strideC, int count) \
	{ \
		cublasStatus_t status = CUBLAS_STATUS_SUCCESS; \
	\
		for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++) \
			status = cublas##S##gemm(handle, transa, transb, m, n, k, alpha, \
						 A + i * strideA, lda, B + i * strideB, ldb, beta, \
						 C + i * strideC, ldc); \
		return status; \
	} \
	FT_BLAS cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t trans, \
		int m, int n, const T *alpha, const T *A, int lda, const T *x, int incx, \
		const T *beta, T *y, int incy) \
	{ \
		typedef void fn(const char *, const int *, const int *, const T *, const T *, \
				const int *, const T *, const int *, const T *, T *, const int *); \
		fn *call = (fn *)dlsym(handle->library, #s "gemv_"); \
		size_t bytes = ft_blas_vector(trans ? n : m, incy) * sizeof(T); \
		T a = 0, b = 0; \
		T *p = (T *)ft_blas_fetch(handle, A, ft_blas_matrix(m, n, lda) * sizeof(T)); \
		T *q = (T *)ft_blas_fetch(handle, x, \
					  ft_blas_vector(trans ? m : n, incx) * sizeof(T)); \
		T *r = (T *)ft_blas_fetch(handle, y, bytes); \
		int good = call && p && q && r && ft_blas_scalar(handle, &a, alpha, sizeof a) \
			&& ft_blas_scalar(handle, &b, beta, sizeof b); \
	\
		if (good) \
			call(trans ? "T" : "N", &m, &n, &a, p, &lda, q, &incx, &b, r, &incy); \
		free(p); \
		free(q); \
		return ft_blas_return(handle, y, r, bytes, good); \
	} \
	FT_BLAS cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T *alpha, \
		const T *x, int incx, T *y, int incy) \
	{ \
		typedef void fn(const int *, const T *, const T *, const int *, T *, const int *); \
		fn *call = (fn *)dlsym(handle->library, #s "axpy_"); \
		size_t bytes = ft_blas_vector(n, incy) * sizeof(T); \
		T a = 0, *p = (T *)ft_blas_fetch(handle, x, ft_blas_vector(n, incx) * sizeof(T)); \
		T *q = (T *)ft_blas_fetch(handle, y, bytes); \
		int good = call && p && q && ft_blas_scalar(handle, &a, alpha, sizeof a); \
	\
		if (good) \
			call(&n, &a, p, &incx, q, &incy); \
		free(p); \
		return ft_blas_return(handle, y, q, bytes, good); \
	} \
	FT_BLAS cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T *alpha, T *x, \
		int incx) \
	{ \
		typedef void fn(const int *, const T *, T *, const int *); \
		fn *call = (fn *)dlsym(handle->library, #s "scal_"); \
		size_t bytes = ft_blas_vector(n, incx) * sizeof(T); \
		T a = 0, *p = (T *)ft_blas_fetch(handle, x, bytes); \
		int good = call && p && ft_blas_scalar(handle, &a, alpha, sizeof a); \
	\
		if (good) \
			call(&n, &a, p, &incx); \
		return ft_blas_return(handle, x, p, bytes, good); \
	} \
	FT_BLAS cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T *x, int incx, \
		const T *y, int incy, T *result) \
	{ \
		typedef T fn(const int *, const T *, const int *, const T *, const int *); \
		fn *call = (fn *)dlsym(handle->library, #s "dot_"); \
		T *p = (T *)ft_blas_fetch(handle, x, ft_blas_vector(n, incx) * sizeof(T)); \
		T *q = (T *)ft_blas_fetch(handle, y, ft_blas_vector(n, incy) * sizeof(T)); \
		T value = call && p && q ? call(&n, p, &incx, q, &incy) : 0; \
		int good = call && p && q \
			&& !cudaMemcpy(result, &value, sizeof value, cudaMemcpyDefault); \
	\
		free(q); \
		return ft_blas_return(handle, NULL, p, 0, good); \
	} \
	FT_BLAS cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T *x, int incx, \
		T *result) \
	{ \
		typedef T fn(const int *, const T *, const int *); \
		fn *call = (fn *)dlsym(handle->library, #s "nrm2_"); \
		T *p = (T *)ft_blas_fetch(handle, x, ft_blas_vector(n, incx) * sizeof(T)); \
		T value = call && p ? call(&n, p, &incx) : 0; \
		int good = call && p \
			&& !cudaMemcpy(result, &value, sizeof value, cudaMemcpyDefault); \
	\
		return ft_blas_return(handle, NULL, p, 0, good); \
	}
FT_BLAS_FUNCTIONS(float, S, s)
FT_BLAS_FUNCTIONS(double, D, d)
#undef FT_BLAS_FUNCTIONS

/* --- copies between the host's and the device's matrices and vectors --- */

FT_BLAS cublasStatus_t ft_blas_copy(int rows, int columns, int bytes, const void *from, int ld_from,
				    void *to, int ld_to)
{
	return cudaMemcpy2D(to, (size_t)ld_to * (size_t)bytes, from,
			    (size_t)ld_from * (size_t)bytes, (size_t)rows * (size_t)bytes,
			    (size_t)columns, cudaMemcpyDefault)
		? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}
FT_BLAS cublasStatus_t cublasSetMatrix(int rows, int cols, int bytes, const void *A, int lda,
				       void *B, int ldb)
	{ return ft_blas_copy(rows, cols, bytes, A, lda, B, ldb); }
FT_BLAS cublasStatus_t cublasGetMatrix(int rows, int cols, int bytes, const void *A, int lda,
				       void *B, int ldb)
	{ return ft_blas_copy(rows, cols, bytes, A, lda, B, ldb); }
FT_BLAS cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int incx, void *y, int incy)
	{ return ft_blas_copy(1, n, bytes, x, incx, y, incy); }
FT_BLAS cublasStatus_t cublasGetVector(int n, int bytes, const void *x, int incx, void *y, int incy)
	{ return ft_blas_copy(1, n, bytes, x, incx, y, incy); }

#undef FT_BLAS

#endif
