/* block_radix_sort.cuh - cub::BlockRadixSort on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_RADIX_SORT
#define FLASHTWIN_CUB_BLOCK_RADIX_SORT

#include "sim/cuda/cub/block_radix_sort.h"

#endif
