/* inner_product.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_INNER_PRODUCT_H
#define FLASHTWIN_THRUST_INNER_PRODUCT_H

#include "sim/cuda/thrust/algorithm.h"

#endif
