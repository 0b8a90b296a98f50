/* device_radix_sort.cuh - cub::DeviceRadixSort for host code of programs, computed by the host */
#ifndef FLASHTWIN_CUB_DEVICE_RADIX_SORT
#define FLASHTWIN_CUB_DEVICE_RADIX_SORT

#ifndef FLASHTWIN_PROGRAM
#error "device-wide algorithms of CUB are for programs: flashtwin run"
#endif
#include "sim/cuda/cub/device_radix_sort.h"

#endif
