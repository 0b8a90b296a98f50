// blas_all.cu - the functions of cuBLAS in float and double, against loops of its own: numbers are
// small integers, so that every sum is exact. Prints how many results of each are wrong.
#include <cublas_v2.h>
#include <cstdio>
#include <cmath>
#include <vector>

enum { M = 5, N = 4, K = 6, BATCH = 2, LDA = 7 };

template <class T> struct names;
template <> struct names<float> {
	static constexpr auto gemm = cublasSgemm;
	static constexpr auto batched = cublasSgemmStridedBatched;
	static constexpr auto gemv = cublasSgemv;
	static constexpr auto axpy = cublasSaxpy;
	static constexpr auto scal = cublasSscal;
	static constexpr auto dot = cublasSdot;
	static constexpr auto nrm2 = cublasSnrm2;
	static constexpr cudaDataType type = CUDA_R_32F;
	static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
};
template <> struct names<double> {
	static constexpr auto gemm = cublasDgemm;
	static constexpr auto batched = cublasDgemmStridedBatched;
	static constexpr auto gemv = cublasDgemv;
	static constexpr auto axpy = cublasDaxpy;
	static constexpr auto scal = cublasDscal;
	static constexpr auto dot = cublasDdot;
	static constexpr auto nrm2 = cublasDnrm2;
	static constexpr cudaDataType type = CUDA_R_64F;
	static constexpr cublasComputeType_t compute = CUBLAS_COMPUTE_64F;
};

static int failures;

static void ok(cublasStatus_t status)
{
	failures += status != CUBLAS_STATUS_SUCCESS;
}

template <class T> struct matrix {
	int rows, columns, ld, count;
	std::vector<T> host;
	T *device;

	matrix(int rows, int columns, int ld, int seed, int count = 1)
		: rows(rows), columns(columns), ld(ld), count(count), host(ld * columns * count)
	{
		for (size_t i = 0; i < host.size(); i++)
			host[i] = (T)((int)(i * 7 + seed) % 9 - 4);
		cudaMalloc(&device, host.size() * sizeof(T));
		for (int n = 0; n < count; n++)
			ok(cublasSetMatrix(ld, columns, sizeof(T), host.data() + n * ld * columns,
					   ld, device + n * ld * columns, ld));
	}
	~matrix() { cudaFree(device); }
	T at(int i, int j, int n = 0) const { return host[(n * columns + j) * ld + i]; }
	std::vector<T> got() const
	{
		std::vector<T> all(host.size());

		for (int n = 0; n < count; n++)
			ok(cublasGetMatrix(ld, columns, sizeof(T), device + n * ld * columns, ld,
					   all.data() + n * ld * columns, ld));
		return all;
	}
};

// 3 * op(a) * op(b) - 2 * c, of which `got` is what the library made.
template <class T>
static int wrong(const matrix<T> &a, bool ta, const matrix<T> &b, bool tb, const matrix<T> &c,
		 int k)
{
	std::vector<T> got = c.got();
	int count = 0;

	for (int n = 0; n < c.count; n++)
		for (int j = 0; j < c.columns; j++)
			for (int i = 0; i < c.rows; i++) {
				T sum = 0;

				for (int l = 0; l < k; l++)
					sum += (ta ? a.at(l, i, n) : a.at(i, l, n))
						* (tb ? b.at(j, l, n) : b.at(l, j, n));
				count += got[(n * c.columns + j) * c.ld + i]
					!= 3 * sum - 2 * c.at(i, j, n);
			}
	return count;
}

template <class T> static void products(cublasHandle_t handle, const char *name)
{
	const T alpha = 3, beta = -2;
	matrix<T> a(M, K, LDA, 1), at(K, M, LDA, 2), b(K, N, LDA, 3);
	matrix<T> c(M, N, LDA, 4), d(M, N, LDA, 5);
	matrix<T> as(M, K, LDA, 1, BATCH), bt(N, K, LDA, 3, BATCH), cs(M, N, LDA, 6, BATCH);

	ok(names<T>::gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, N, K, &alpha, a.device, LDA,
			  b.device, LDA, &beta, c.device, LDA));
	ok(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &alpha, at.device,
			names<T>::type, LDA, b.device, names<T>::type, LDA, &beta, d.device,
			names<T>::type, LDA, names<T>::compute, CUBLAS_GEMM_DEFAULT));
	ok(names<T>::batched(handle, CUBLAS_OP_N, CUBLAS_OP_T, M, N, K, &alpha, as.device, LDA,
			     LDA * K, bt.device, LDA, LDA * K, &beta, cs.device, LDA, LDA * N,
			     BATCH));
	printf("%s products: %d %d %d\n", name, wrong(a, false, b, false, c, K),
	       wrong(at, true, b, false, d, K), wrong(as, false, bt, true, cs, K));
}

template <class T> static void vectors(cublasHandle_t handle, const char *name)
{
	const T alpha = 3, beta = -2;
	matrix<T> a(M, K, LDA, 1), x(K, 1, K, 2), y(M, 1, M, 3), z(M, 1, M, 4);
	T dot, norm, every[3], three[3] = { 9, 8, 7 }, sum = 0, squares = 0;

	ok(names<T>::gemv(handle, CUBLAS_OP_N, M, K, &alpha, a.device, LDA, x.device, 1, &beta,
			  y.device, 1));
	printf("%s gemv: %d\n", name, wrong(a, false, x, false, y, K));
	ok(names<T>::axpy(handle, M, &alpha, x.device, 1, z.device, 1));
	ok(names<T>::scal(handle, 2, &beta, z.device + 1, 2));
	std::vector<T> got = z.got();
	int count = 0;
	for (int i = 0; i < M; i++)
		count += got[i] != (3 * x.at(i, 0) + z.at(i, 0)) * (i % 2 ? -2 : 1);
	printf("%s axpy and scal: %d\n", name, count);
	ok(names<T>::dot(handle, 3, x.device, 2, a.device, 1, &dot));
	ok(names<T>::nrm2(handle, K, x.device, 1, &norm));
	for (int i = 0; i < 3; i++)
		sum += x.at(2 * i, 0) * a.at(i, 0);
	for (int i = 0; i < K; i++)
		squares += x.at(i, 0) * x.at(i, 0);
	printf("%s dot and nrm2: %d %d\n", name, dot != sum,
	       std::abs(norm * norm - squares) > 1e-4);
	ok(cublasSetVector(3, sizeof(T), three, 1, x.device, 2));
	ok(cublasGetVector(3, sizeof(T), x.device, 2, every, 1));
	printf("%s every second element: %g %g %g, %g kept\n", name, (double)every[0],
	       (double)every[1], (double)every[2], (double)(x.got()[1] - x.at(1, 0)));
}

static void halves(cublasHandle_t handle)
{
	const __half alpha = __float2half(1), beta = __float2half(0);
	__half host[2] = { __float2half(3), __float2half(-5) }, got[2], *x, *y;

	cudaMalloc(&x, sizeof host);
	cudaMalloc(&y, sizeof host);
	cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
	ok(cublasHgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, x, 1, 1, x,
				     1, 1, &beta, y, 1, 1, 2));
	cudaMemcpy(got, y, sizeof got, cudaMemcpyDeviceToHost);
	printf("half: %g %g\n", __half2float(got[0]), __half2float(got[1]));
	cudaFree(x);
	cudaFree(y);
}

static void settings(cublasHandle_t handle)
{
	cublasPointerMode_t pointers;
	cublasMath_t math;
	cudaStream_t stream, found;

	cudaStreamCreate(&stream);
	ok(cublasGetPointerMode(handle, &pointers));
	ok(cublasGetMathMode(handle, &math));
	printf("settings: %d %d", pointers, math);
	ok(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
	ok(cublasSetMathMode(handle, CUBLAS_TENSOR_OP_MATH));
	ok(cublasSetStream(handle, stream));
	ok(cublasGetPointerMode(handle, &pointers));
	ok(cublasGetMathMode(handle, &math));
	ok(cublasGetStream(handle, &found));
	printf(", then %d %d %d\n", pointers, math, found == stream);
	cudaStreamDestroy(stream);
}

int main()
{
	cublasHandle_t handle;

	ok(cublasCreate(&handle));
	products<float>(handle, "float");
	products<double>(handle, "double");
	vectors<float>(handle, "float");
	vectors<double>(handle, "double");
	halves(handle);
	settings(handle);
	ok(cublasDestroy(handle));
	printf("%d calls failed\n", failures);
}
