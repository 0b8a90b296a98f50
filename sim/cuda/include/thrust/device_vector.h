/* device_vector.h - Thrust's vectors in device memory */
#ifndef FLASHTWIN_THRUST_DEVICE_VECTOR_H
#define FLASHTWIN_THRUST_DEVICE_VECTOR_H

#include "sim/cuda/thrust/algorithm.h"

#endif
