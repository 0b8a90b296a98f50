/* block_scan.cuh - cub::BlockScan on the simulator */
#ifndef FLASHTWIN_CUB_BLOCK_SCAN
#define FLASHTWIN_CUB_BLOCK_SCAN

#include "sim/cuda/cub/block_scan.h"

#endif
