/* vector_functions.h - replaces CUDA's header of this name. */
#include "sim/cuda/vectors.h"
