/* random_whole.cu - as random.cu, but only whole warps and blocks meet. The checker keeps less. */
#define RANDOM_NAME random_whole
#include "tests/checker/random.cuh"
