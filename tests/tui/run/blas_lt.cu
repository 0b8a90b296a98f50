// blas_lt.cu - cuBLASLt: batches, transposes, a bias and an activation, against sums of its own.
#include <cublasLt.h>
#include <cmath>
#include <cstdio>
#include <vector>

static int failed(cublasStatus_t status, const char *what)
{
	if (status != CUBLAS_STATUS_SUCCESS)
		printf("%s: %s\n", what, cublasGetStatusString(status));
	return status != CUBLAS_STATUS_SUCCESS;
}
#define TRY(call) do { if (failed(call, #call)) return 1; } while (0)

enum { M = 6, N = 5, K = 7, BATCH = 3 };

template <class T> static T *upload(const std::vector<T> &values)
{
	T *p;

	cudaMalloc(&p, values.size() * sizeof(T));
	cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
	return p;
}

static float activated(float x, int epilogue)
{
	if (epilogue & CUBLASLT_EPILOGUE_RELU)
		return x > 0 ? x : 0;
	if (epilogue & CUBLASLT_EPILOGUE_GELU)
		return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
	return x;
}

static int product(cublasLtHandle_t handle, int epilogue)
{
	std::vector<float> a(BATCH * K * M), b(BATCH * K * N), c(BATCH * M * N), bias(M), d(c);
	cublasOperation_t transposed = CUBLAS_OP_T;
	const float alpha = 0.5f, beta = 2;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t layouts[3];
	size_t workspace = 1 << 20;
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t result;
	long long strides[] = { K * M, K * N, M * N };
	int found, batch = BATCH, wrong = 0;

	for (size_t i = 0; i < a.size(); i++)
		a[i] = (int)(i % 5) - 2;
	for (size_t i = 0; i < b.size(); i++)
		b[i] = (int)(i % 7) - 3;
	for (size_t i = 0; i < c.size(); i++)
		c[i] = (int)(i % 3) - 1;
	for (size_t i = 0; i < bias.size(); i++)
		bias[i] = 0.25f * (float)i;
	float *A = upload(a), *B = upload(b), *C = upload(c), *D = upload(d), *E = upload(bias);

	TRY(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	TRY(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
					   sizeof transposed));
	TRY(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
					   sizeof epilogue));
	TRY(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &E, sizeof E));
	TRY(cublasLtMatrixLayoutCreate(&layouts[0], CUDA_R_32F, K, M, K));
	TRY(cublasLtMatrixLayoutCreate(&layouts[1], CUDA_R_32F, K, N, K));
	TRY(cublasLtMatrixLayoutCreate(&layouts[2], CUDA_R_32F, M, N, M));
	for (int i = 0; i < 3; i++) {
		TRY(cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
						     &batch, sizeof batch));
		TRY(cublasLtMatrixLayoutSetAttribute(layouts[i],
			CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &strides[i],
			sizeof strides[i]));
	}
	TRY(cublasLtMatmulPreferenceCreate(&preference));
	TRY(cublasLtMatmulPreferenceSetAttribute(preference,
						 CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
						 &workspace, sizeof workspace));
	TRY(cublasLtMatmulAlgoGetHeuristic(handle, desc, layouts[0], layouts[1], layouts[2],
					   layouts[2], preference, 1, &result, &found));
	TRY(cublasLtMatmul(handle, desc, &alpha, A, layouts[0], B, layouts[1], &beta, C, layouts[2],
			   D, layouts[2], &result.algo, NULL, 0, 0));
	cudaMemcpy(d.data(), D, d.size() * sizeof(float), cudaMemcpyDeviceToHost);
	for (int s = 0; s < BATCH; s++)
		for (int i = 0; i < M * N; i++) {
			float sum = 0, x;

			for (int k = 0; k < K; k++)
				sum += a[s * K * M + i % M * K + k] * b[s * K * N + i / M * K + k];
			x = alpha * sum + beta * c[s * M * N + i];
			if (epilogue & CUBLASLT_EPILOGUE_BIAS)
				x += bias[i % M];
			wrong += fabsf(activated(x, epilogue) - d[s * M * N + i]) > 1e-5f;
		}
	for (int i = 0; i < 3; i++)
		cublasLtMatrixLayoutDestroy(layouts[i]);
	cublasLtMatmulDescDestroy(desc);
	cublasLtMatmulPreferenceDestroy(preference);
	for (float *p : { A, B, C, D, E })
		cudaFree(p);
	return wrong;
}

int main()
{
	cublasLtHandle_t handle;
	cublasLtMatmulDesc_t half;

	TRY(cublasLtCreate(&handle));
	for (int epilogue : { CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_BIAS,
			      CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU_BIAS,
			      CUBLASLT_EPILOGUE_GELU_BIAS })
		printf("%d: %d wrong\n", epilogue, product(handle, epilogue));
	// A backward pass, and what no product of this library has.
	printf("backward: %d wrong\n", product(handle, CUBLASLT_EPILOGUE_DGELU));
	TRY(cublasLtMatmulDescCreate(&half, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	printf("%d\n", cublasLtMatmulDescSetAttribute(half, CUBLASLT_MATMUL_DESC_TRANSA, &half, 1));
	cublasLtMatmulDescDestroy(half);
	cublasLtDestroy(handle);
}
