/* cub.cuh - CUB's block and warp collectives on the simulator; in programs also its device-wide
 * algorithms, computed by the host */
#ifndef FLASHTWIN_CUB_CUB
#define FLASHTWIN_CUB_CUB

#include "sim/cuda/cub/block_radix_sort.h"
#include "sim/cuda/cub/block_reduce.h"
#include "sim/cuda/cub/block_scan.h"
#ifdef FLASHTWIN_PROGRAM
#include "sim/cuda/cub/device_histogram.h"
#include "sim/cuda/cub/device_radix_sort.h"
#include "sim/cuda/cub/device_reduce.h"
#include "sim/cuda/cub/device_scan.h"
#include "sim/cuda/cub/device_select.h"
#endif

#endif
