/* device_ptr.h - Thrust's addresses in device memory */
#ifndef FLASHTWIN_THRUST_DEVICE_PTR_H
#define FLASHTWIN_THRUST_DEVICE_PTR_H

#include "sim/cuda/thrust/memory.h"

#endif
