/* for_each.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_FOR_EACH_H
#define FLASHTWIN_THRUST_FOR_EACH_H

#include "sim/cuda/thrust/algorithm.h"

#endif
