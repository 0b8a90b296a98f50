/* surface_types.h - replaces CUDA's header of this name. */
#include "sim/cuda/include/texture_types.h"
