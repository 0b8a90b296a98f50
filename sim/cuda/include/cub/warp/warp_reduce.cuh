/* warp_reduce.cuh - cub::WarpReduce on the simulator */
#ifndef FLASHTWIN_CUB_WARP_REDUCE
#define FLASHTWIN_CUB_WARP_REDUCE

#include "sim/cuda/cub/warp.h"

#endif
