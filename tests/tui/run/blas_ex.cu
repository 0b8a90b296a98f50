// blas_ex.cu - cuBLAS's products of half and bfloat16, against sums of its own.
#include <cublas_v2.h>
#include <cstdio>
#include <vector>

enum { M = 6, N = 5, K = 7, BATCH = 3, LDC = 8 };

template <class T> static T *upload(const std::vector<T> &values)
{
	T *p;

	cudaMalloc(&p, values.size() * sizeof(T));
	cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
	return p;
}

static float a(int i) { return i % 5 - 2 + 0.25f; }
static float b(int i) { return i % 7 - 3; }

// A is stored as its transpose. The sums need more bits than a 16-bit float has.
template <class In, class Out, class Scale>
static int product(cublasHandle_t handle, cudaDataType in, cudaDataType out,
		   cublasComputeType_t compute)
{
	std::vector<In> x(BATCH * K * M), y(BATCH * K * N);
	std::vector<Out> z(BATCH * LDC * N, Out(-1.0f));
	const Scale alpha = Scale(33.0f), beta = Scale(2.0f);
	int wrong = 0;

	for (size_t i = 0; i < x.size(); i++)
		x[i] = In(a(i));
	for (size_t i = 0; i < y.size(); i++)
		y[i] = In(b(i));
	In *A = upload(x), *B = upload(y);
	Out *C = upload(z);
	cublasStatus_t status = cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, M, N,
		K, &alpha, A, in, K, K * M, B, in, K, K * N, &beta, C, out, LDC, LDC * N, BATCH,
		compute, CUBLAS_GEMM_DEFAULT);

	if (status != CUBLAS_STATUS_SUCCESS)
		return 1000 + status;
	cudaMemcpy(z.data(), C, z.size() * sizeof(Out), cudaMemcpyDeviceToHost);
	for (int s = 0; s < BATCH; s++)
		for (int j = 0; j < N; j++)
			for (int i = 0; i < LDC; i++) {
				float sum = 0;

				for (int l = 0; l < K && i < M; l++)
					sum += a((s * M + i) * K + l) * b((s * N + j) * K + l);
				sum = i < M ? 33 * sum - 2 : -1;
				wrong += float(z[(s * N + j) * LDC + i]) != float(Out(sum));
			}
	cudaFree(A);
	cudaFree(B);
	cudaFree(C);
	return wrong;
}

int main()
{
	const __half one = __half(1.0f), zero = __half(0.0f);
	std::vector<__half> x(4, __half(3.0f)), y(4, __half(0.5f)), z(4);
	__half *A = upload(x), *B = upload(y), *C = upload(z);
	cublasHandle_t h;

	if (cublasCreate(&h))
		return 1;
	printf("half: %d wrong\n", product<__half, __half, float>(h, CUDA_R_16F, CUDA_R_16F,
								  CUBLAS_COMPUTE_32F));
	printf("half to float: %d wrong\n", product<__half, float, float>(h, CUDA_R_16F, CUDA_R_32F,
									  CUBLAS_COMPUTE_32F));
	printf("in half: %d wrong\n", product<__half, __half, __half>(h, CUDA_R_16F, CUDA_R_16F,
								      CUBLAS_COMPUTE_16F));
	printf("bfloat16: %d wrong\n", product<__nv_bfloat16, __nv_bfloat16, float>(h, CUDA_R_16BF,
		CUDA_R_16BF, CUBLAS_COMPUTE_32F));
	printf("bfloat16 to float: %d wrong\n", product<__nv_bfloat16, float, float>(h, CUDA_R_16BF,
		CUDA_R_32F, CUBLAS_COMPUTE_32F));
	printf("float: %d wrong\n", product<float, float, float>(h, CUDA_R_32F, CUDA_R_32F,
								 CUBLAS_COMPUTE_32F));
	printf("double: %d wrong\n", product<double, double, double>(h, CUDA_R_64F, CUDA_R_64F,
								     CUBLAS_COMPUTE_64F));
	printf("bfloat16 to half: %d\n", product<__nv_bfloat16, __half, float>(h, CUDA_R_16BF,
		CUDA_R_16F, CUBLAS_COMPUTE_32F) - 1000);
	cublasHgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, A, 2, B, 2, &zero, C, 2);
	cudaMemcpy(z.data(), C, sizeof(__half) * 4, cudaMemcpyDeviceToHost);
	printf("Hgemm: %g %g\n", float(z[0]), float(z[3]));
	cublasDestroy(h);
	cudaFree(A);
	cudaFree(B);
	cudaFree(C);
}
