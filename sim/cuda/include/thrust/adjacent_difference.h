/* adjacent_difference.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_ADJACENT_DIFFERENCE_H
#define FLASHTWIN_THRUST_ADJACENT_DIFFERENCE_H

#include "sim/cuda/thrust/algorithm.h"

#endif
