/* random_whole.cu - as random.cu, but only whole warps and blocks meet: the checker keeps less then. */
#define RANDOM_NAME random_whole
#include "tests/checker/random.cuh"
