/* device_free.h - Thrust's device_free() */
#ifndef FLASHTWIN_THRUST_DEVICE_FREE_H
#define FLASHTWIN_THRUST_DEVICE_FREE_H

#include "sim/cuda/thrust/memory.h"

#endif
