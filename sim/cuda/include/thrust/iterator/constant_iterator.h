/* iterator/constant_iterator.h - Thrust's iterator of one value */
#ifndef FLASHTWIN_THRUST_ITERATOR_CONSTANT_ITERATOR_H
#define FLASHTWIN_THRUST_ITERATOR_CONSTANT_ITERATOR_H

#include "sim/cuda/thrust/iterator.h"

#endif
