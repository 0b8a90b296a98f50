/* block_discontinuity.cuh - cub::BlockDiscontinuity on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_DISCONTINUITY
#define FLASHTWIN_CUB_BLOCK_DISCONTINUITY

#include "sim/cuda/cub/block_io.h"

#endif
