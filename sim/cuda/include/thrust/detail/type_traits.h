/* detail/type_traits.h - Thrust's traits, those of C++'s library */
#ifndef FLASHTWIN_THRUST_DETAIL_TYPE_TRAITS_H
#define FLASHTWIN_THRUST_DETAIL_TYPE_TRAITS_H

#include "sim/cuda/thrust/functional.h"

#endif
