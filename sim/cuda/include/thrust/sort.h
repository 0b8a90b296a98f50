/* sort.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_SORT_H
#define FLASHTWIN_THRUST_SORT_H

#include "sim/cuda/thrust/algorithm.h"

#endif
