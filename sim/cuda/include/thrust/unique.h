/* unique.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_UNIQUE_H
#define FLASHTWIN_THRUST_UNIQUE_H

#include "sim/cuda/thrust/by_key.h"

#endif
