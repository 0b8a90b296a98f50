/* count.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_COUNT_H
#define FLASHTWIN_THRUST_COUNT_H

#include "sim/cuda/thrust/algorithm.h"

#endif
