/* device_run_length_encode.cuh - cub::DeviceRunLengthEncode for host code of programs, computed by
 * the host */
#ifndef FLASHTWIN_CUB_DEVICE_RUN_LENGTH_ENCODE
#define FLASHTWIN_CUB_DEVICE_RUN_LENGTH_ENCODE

#ifndef FLASHTWIN_PROGRAM
#error "device-wide algorithms of CUB are for programs: flashtwin run"
#endif
#include "sim/cuda/cub/device_select.h"

#endif
