/* split_sizes.cuh - split_attend.cuh for each head size; see split_kernel.cuh.
 *
 * Included only by split_kernel.cuh, which defines HEADS and PASSES.
 */
#if defined(__CUDACC__) && !defined(FLASHTWIN_SIM)
#define SIZE 64
#define DIM 64
#define LANES 8
#include "kernels/split_attend.cuh"
#define SIZE 80
#define DIM 80
#define LANES 16
#include "kernels/split_attend.cuh"
#define SIZE 96
#define DIM 96
#define LANES 16
#include "kernels/split_attend.cuh"
#define SIZE 128
#define DIM 128
#define LANES 16
#include "kernels/split_attend.cuh"
#define SIZE 256
#define DIM 256
#define LANES 32
#include "kernels/split_attend.cuh"
#else
#define SIZE small
#define DIM 64
#define LANES 8
#include "kernels/split_attend.cuh"
#define SIZE medium
#define DIM s->D
#define LANES 16
#include "kernels/split_attend.cuh"
#define SIZE large
#define DIM 256
#define LANES 32
#include "kernels/split_attend.cuh"
#endif
#undef HEADS
#undef PASSES
