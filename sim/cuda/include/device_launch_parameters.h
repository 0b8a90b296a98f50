/* device_launch_parameters.h - CUDA's header of this name for the simulator: see cuda_runtime.h. */
#include "sim/cuda/include/cuda_runtime.h"
