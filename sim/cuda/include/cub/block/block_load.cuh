/* block_load.cuh - cub::BlockLoad on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_LOAD
#define FLASHTWIN_CUB_BLOCK_LOAD

#include "sim/cuda/cub/block_io.h"

#endif
