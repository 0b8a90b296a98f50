/* thread_operators.cuh - CUB's operators on the simulator */
#ifndef FLASHTWIN_CUB_THREAD_OPERATORS
#define FLASHTWIN_CUB_THREAD_OPERATORS

#include "sim/cuda/cub/types.h"

#endif
