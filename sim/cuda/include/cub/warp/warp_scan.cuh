/* warp_scan.cuh - cub::WarpScan on the simulator */
#ifndef FLASHTWIN_CUB_WARP_SCAN
#define FLASHTWIN_CUB_WARP_SCAN

#include "sim/cuda/cub/warp.h"

#endif
