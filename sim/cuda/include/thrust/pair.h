/* pair.h - what Thrust shares with C++'s library */
#ifndef FLASHTWIN_THRUST_PAIR_H
#define FLASHTWIN_THRUST_PAIR_H

#include "sim/cuda/thrust/functional.h"

#endif
