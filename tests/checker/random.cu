/* random.cu - a kernel that runs operations from a table, for tests/sim/check/test_check_order.c.
 *
 * See random.cuh. This version has flags, fences, and barriers of some lanes only.
 */
#define RANDOM_SOME
#define RANDOM_NAME random_program
#include "tests/checker/random.cuh"
