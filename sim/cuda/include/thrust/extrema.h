/* extrema.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_EXTREMA_H
#define FLASHTWIN_THRUST_EXTREMA_H

#include "sim/cuda/thrust/algorithm.h"

#endif
