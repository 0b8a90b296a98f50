/* cub.cuh - CUB's block and warp collectives on the simulator */
#ifndef FLASHTWIN_CUB_CUB
#define FLASHTWIN_CUB_CUB

#include "sim/cuda/cub/block_radix_sort.h"
#include "sim/cuda/cub/block_reduce.h"
#include "sim/cuda/cub/block_scan.h"

#endif
