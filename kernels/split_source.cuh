/* split_source.cuh - the ring of tiles of a kernel: with SPLIT_TENSOR that for tensor cores. */
#ifdef SPLIT_TENSOR
#include "kernels/split_lanes.cuh"
#else
#include "kernels/split_ring.cuh"
#endif
