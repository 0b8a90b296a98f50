/* split_tensor_sizes.cuh - split_tensor.cuh for each head size; see split_tensor_kernel.cuh.
 *
 * Included only by split_tensor_kernel.cuh, which defines PASSES.
 */
#define DIM 64
#include "kernels/split_tensor.cuh"
#define DIM 80
#include "kernels/split_tensor.cuh"
#define DIM 96
#include "kernels/split_tensor.cuh"
#define DIM 128
#include "kernels/split_tensor.cuh"
#define DIM 256
#include "kernels/split_tensor.cuh"
#undef PASSES
