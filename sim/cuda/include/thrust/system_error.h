/* system_error.h - Thrust's exception */
#ifndef FLASHTWIN_THRUST_SYSTEM_ERROR_H
#define FLASHTWIN_THRUST_SYSTEM_ERROR_H

#include "sim/cuda/thrust/memory.h"

#endif
