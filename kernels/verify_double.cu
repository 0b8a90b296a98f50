/* verify_double.cu - sums of double functions over ranges of inputs, one kernel per function.
 *
 * One kernel math_<id> for each entry of kernels/double_list.h, with the parameters of those in
 * verify_math.cu. On a GPU an entry is CUDA's function; on the simulator it is what sim/cuda/ maps
 * the same name to.
 */
#include "kernels/kernel.h"
#include "kernels/double_list.h"
#include "kernels/verify_kernel.h"

#define DOUBLE_KERNEL(id, name, arguments, expression) \
	VERIFY_KERNEL(id, \
		double x, y; \
		uint64_t number = double_input(i, &x, &y); \
		sum += double_term(expression, number);)

DOUBLE_LIST(DOUBLE_KERNEL)
