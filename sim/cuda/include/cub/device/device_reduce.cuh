/* device_reduce.cuh - cub::DeviceReduce for host code of programs, computed by the host */
#ifndef FLASHTWIN_CUB_DEVICE_REDUCE
#define FLASHTWIN_CUB_DEVICE_REDUCE

#ifndef FLASHTWIN_PROGRAM
#error "device-wide algorithms of CUB are for programs: flashtwin run"
#endif
#include "sim/cuda/cub/device_reduce.h"

#endif
