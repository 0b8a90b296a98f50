/* functional.h - what Thrust shares with C++'s library */
#ifndef FLASHTWIN_THRUST_FUNCTIONAL_H
#define FLASHTWIN_THRUST_FUNCTIONAL_H

#include "sim/cuda/thrust/functional.h"

#endif
