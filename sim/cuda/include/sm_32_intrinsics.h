/* sm_32_intrinsics.h - replaces CUDA's header of this name; see cuda_runtime.h. */
#include "sim/cuda/include/cuda_runtime.h"
