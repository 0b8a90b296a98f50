/* device_scan.cuh - cub::DeviceScan for host code of programs, computed by the host */
#ifndef FLASHTWIN_CUB_DEVICE_SCAN
#define FLASHTWIN_CUB_DEVICE_SCAN

#ifndef FLASHTWIN_PROGRAM
#error "device-wide algorithms of CUB are for programs: flashtwin run"
#endif
#include "sim/cuda/cub/device_scan.h"

#endif
