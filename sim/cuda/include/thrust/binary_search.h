/* binary_search.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_BINARY_SEARCH_H
#define FLASHTWIN_THRUST_BINARY_SEARCH_H

#include "sim/cuda/thrust/algorithm.h"

#endif
