/* device_select.cuh - cub::DeviceSelect for host code of programs, computed by the host */
#ifndef FLASHTWIN_CUB_DEVICE_SELECT
#define FLASHTWIN_CUB_DEVICE_SELECT

#ifndef FLASHTWIN_PROGRAM
#error "device-wide algorithms of CUB are for programs: flashtwin run"
#endif
#include "sim/cuda/cub/device_select.h"

#endif
