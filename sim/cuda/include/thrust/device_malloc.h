/* device_malloc.h - Thrust's device_malloc() */
#ifndef FLASHTWIN_THRUST_DEVICE_MALLOC_H
#define FLASHTWIN_THRUST_DEVICE_MALLOC_H

#include "sim/cuda/thrust/memory.h"

#endif
