/* system/cuda/execution_policy.h - thrust::cuda::par */
#ifndef FLASHTWIN_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H
#define FLASHTWIN_THRUST_SYSTEM_CUDA_EXECUTION_POLICY_H

#include "sim/cuda/thrust/algorithm.h"

#endif
