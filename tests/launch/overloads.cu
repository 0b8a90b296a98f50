/* overloads.cu - overloaded kernels. */
__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }
__global__ void k(int *x, int n) { x[threadIdx.x] = n; }
template <class T> __global__ void t(T *x) { x[0] = 1; }
template <class T> __global__ void t(T *x, T y) { x[0] = y; }
