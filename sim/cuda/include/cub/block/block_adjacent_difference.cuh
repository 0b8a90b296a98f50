/* block_adjacent_difference.cuh - cub::BlockAdjacentDifference on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_ADJACENT_DIFFERENCE
#define FLASHTWIN_CUB_BLOCK_ADJACENT_DIFFERENCE

#include "sim/cuda/cub/block_io.h"

#endif
