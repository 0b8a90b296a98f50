/* macro_names.cu - functions that macros declare: their names, and nvcc's own macros, which decide
 * what runs on the device. */
#if defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 12
#define BOTH __host__ __device__
#define PIECE static __device__ __forceinline__
#else
#define BOTH
#define PIECE static inline
#endif

/* Host functions get it too, as with nvcc's second pass. */
#ifdef __CUDA_ARCH__
#define FIRST 1
#else
#define FIRST 100
#endif

#define PASTED_(a, b) a##_##b
#define PASTED(a, b) PASTED_(a, b)
#define DECLARED(name) PIECE int name(int x)

#define TIMES 2
#define SCALED scaled_2
#include "macro_names.cuh"

#define TIMES 3
#define SCALED scaled_3
#include "macro_names.cuh"

BOTH inline int plus(int x, int y) { return x + y; }

__global__ void named(int *out)
{
	int i = (int)threadIdx.x;

	out[i] = FIRST + plus(scaled_2(i), scaled_3(i));
}
