/* execution_policy.h - Thrust's algorithms of this name, computed by the host */
#ifndef FLASHTWIN_THRUST_EXECUTION_POLICY_H
#define FLASHTWIN_THRUST_EXECUTION_POLICY_H

#include "sim/cuda/thrust/algorithm.h"

#endif
