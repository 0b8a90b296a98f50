/* random.cu - a kernel that does what a table says, for tests/sim/check/test_check_order.c.
 *
 * See random.cuh. This one has fences and barriers of some lanes.
 */
#define RANDOM_SOME
#define RANDOM_NAME random_program
#include "tests/checker/random.cuh"
