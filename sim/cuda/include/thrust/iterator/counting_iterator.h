/* iterator/counting_iterator.h - Thrust's iterator of successive numbers */
#ifndef FLASHTWIN_THRUST_ITERATOR_COUNTING_ITERATOR_H
#define FLASHTWIN_THRUST_ITERATOR_COUNTING_ITERATOR_H

#include "sim/cuda/thrust/iterator.h"

#endif
