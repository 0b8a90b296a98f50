/* util_type.cuh - CUB's pairs on the simulator */
#ifndef FLASHTWIN_CUB_UTIL_TYPE
#define FLASHTWIN_CUB_UTIL_TYPE

#include "sim/cuda/cub/types.h"

#endif
