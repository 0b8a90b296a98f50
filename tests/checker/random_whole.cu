/* random_whole.cu - random.cu with barriers of whole warps and blocks only: less state to check. */
#define RANDOM_NAME random_whole
#include "tests/checker/random.cuh"
