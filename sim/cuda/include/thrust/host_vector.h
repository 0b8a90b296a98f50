/* host_vector.h - Thrust's vectors on the host */
#ifndef FLASHTWIN_THRUST_HOST_VECTOR_H
#define FLASHTWIN_THRUST_HOST_VECTOR_H

#include "sim/cuda/thrust/algorithm.h"

#endif
