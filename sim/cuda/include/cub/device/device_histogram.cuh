/* device_histogram.cuh - cub::DeviceHistogram for host code of programs, computed by the host */
#ifndef FLASHTWIN_CUB_DEVICE_HISTOGRAM
#define FLASHTWIN_CUB_DEVICE_HISTOGRAM

#ifndef FLASHTWIN_PROGRAM
#error "device-wide algorithms of CUB are for programs: flashtwin run"
#endif
#include "sim/cuda/cub/device_histogram.h"

#endif
