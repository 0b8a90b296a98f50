// blas.cu - cuBLAS between kernels of one stream, against sums of its own.
#include <cublas_v2.h>
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void fill(float *p, int n, int modulus)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = i % modulus - 2;
}
__global__ void twice(float *p, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		p[i] *= 2;
}

int main()
{
	const int m = 7, n = 5, k = 9;
	const float alpha = 1.5f, beta = 0.5f;
	std::vector<float> a(m * k), b(k * n), c(m * n);
	float *A, *B, *C, dot, norm;
	cublasHandle_t handle;
	cudaStream_t stream;
	int wrong = 0;

	cudaStreamCreate(&stream);
	if (cublasCreate(&handle) || cublasSetStream(handle, stream))
		return 1;
	cudaMalloc(&A, a.size() * 4);
	cudaMalloc(&B, b.size() * 4);
	cudaMalloc(&C, c.size() * 4);
	fill<<<1, 32, 0, stream>>>(A, m * k, 5);
	fill<<<1, 32, 0, stream>>>(B, k * n, 7);
	fill<<<1, 32, 0, stream>>>(C, m * n, 3);
	// A is stored as its transpose.
	if (cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, A, k, B, k, &beta, C, m))
		return 2;
	twice<<<1, 32, 0, stream>>>(C, m * n);
	cudaMemcpyAsync(c.data(), C, c.size() * 4, cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			float sum = 0;

			for (int l = 0; l < k; l++)
				sum += ((i * k + l) % 5 - 2) * ((j * k + l) % 7 - 2);
			wrong += c[j * m + i] != 2 * (alpha * sum + beta * ((j * m + i) % 3 - 2));
		}
	cublasSdot(handle, 8, A, 2, B, 1, &dot);
	cublasSnrm2(handle, 4, A, 1, &norm);
	printf("%d wrong, %g, %g\n", wrong, dot, norm);
	cublasDestroy(handle);
	cudaFree(A);
	cudaFree(B);
	cudaFree(C);
	cudaStreamDestroy(stream);
}
