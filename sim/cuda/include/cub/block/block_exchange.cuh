/* block_exchange.cuh - cub::BlockExchange on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_EXCHANGE
#define FLASHTWIN_CUB_BLOCK_EXCHANGE

#include "sim/cuda/cub/block_io.h"

#endif
