/* random.h - what Thrust shares with C++'s library */
#ifndef FLASHTWIN_THRUST_RANDOM_H
#define FLASHTWIN_THRUST_RANDOM_H

#include <iostream>       /* programs use what Thrust includes */

#include "sim/cuda/thrust/functional.h"

#endif
