/* gelu.cu - activations as in many repositories: constants in macros, std:: names, ternaries. */
#include <cmath>
#include <cfloat>
#include <math_constants.h>
#define GELU_SCALING_FACTOR sqrtf(2.0f / CUDART_PI_F)
__global__ void gelu(float* out, const float* inp, int N) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float xi = inp[i];
        float cube = 0.044715f * xi * xi * xi;
        out[i] = 0.5f * xi * (1.0f + tanhf(GELU_SCALING_FACTOR * (xi + cube)));
    }
}
__global__ void silu(float* out, const float* inp, int N) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) {
        const float v = inp[i];
        out[i] = v / (1.0f + std::exp(-v)) + (std::isnan(v) ? 1.0f : 0.0f) + (isinf(v) ? 1.f : 0.f)
            + fmaxf(0.0f, v) * 0.0f + std::abs(v) * 0.0f + floorf(v) * 0.f;
    }
}
