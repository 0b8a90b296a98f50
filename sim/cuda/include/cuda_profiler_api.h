/* cuda_profiler_api.h - replaces CUDA's header of this name; see cuda_runtime_api.h. */
#include "sim/cuda/include/cuda_runtime_api.h"
