/* block_store.cuh - cub::BlockStore on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_STORE
#define FLASHTWIN_CUB_BLOCK_STORE

#include "sim/cuda/cub/block_io.h"

#endif
