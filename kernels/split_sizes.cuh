/* split_sizes.cuh - split_attend.cuh for each head size; see split_kernel.cuh.
 *
 * Included only by split_kernel.cuh, which defines HEADS and PASSES.
 */
#ifdef __CUDACC__
#define SIZE 64
#define DIM 64
#define OWNED 1
#include "kernels/split_attend.cuh"
#define SIZE 80
#define DIM 80
#define OWNED 1
#include "kernels/split_attend.cuh"
#define SIZE 96
#define DIM 96
#define OWNED 1
#include "kernels/split_attend.cuh"
#define SIZE 128
#define DIM 128
#define OWNED 1
#include "kernels/split_attend.cuh"
#define SIZE 256
#define DIM 256
#define OWNED 2
#include "kernels/split_attend.cuh"
#else
#define SIZE small
#define DIM s->D
#define OWNED 1
#include "kernels/split_attend.cuh"
#define SIZE large
#define DIM s->D
#define OWNED 2
#include "kernels/split_attend.cuh"
#endif
#undef HEADS
#undef PASSES
