/* nvToolsExt.h - the earlier name of nvtx3/nvToolsExt.h. */
#include "sim/cuda/include/nvtx3/nvToolsExt.h"
