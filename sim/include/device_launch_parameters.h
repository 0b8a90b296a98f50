/* device_launch_parameters.h - CUDA's header of this name for the simulator: see cuda_runtime.h. */
#include "sim/include/cuda_runtime.h"
