/* discard_iterator.h - Thrust's iterator of this name */
#ifndef FLASHTWIN_THRUST_DISCARD_ITERATOR_H
#define FLASHTWIN_THRUST_DISCARD_ITERATOR_H

#include "sim/cuda/thrust/zip.h"

#endif
