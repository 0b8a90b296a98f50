/* block_reduce.cuh - cub::BlockReduce on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_REDUCE
#define FLASHTWIN_CUB_BLOCK_REDUCE

#include "sim/cuda/cub/block_reduce.h"

#endif
