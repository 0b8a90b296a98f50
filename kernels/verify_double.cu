/* verify_double.cu - sums of double functions over ranges of inputs, one kernel per function.
 *
 * One kernel math_<id> for each entry of kernels/double_list.h, with the parameters of those in
 * verify_math.cu. On a GPU an entry is CUDA's function; on the simulator it is what sim/cuda/ maps
 * the same name to.
 */
#include "kernels/kernel.h"
#include "kernels/double_list.h"

#define DOUBLE_KERNEL(id, name, arguments, expression) \
	KERNEL math_##id(unsigned long long *sums, unsigned long long first, \
			 unsigned long long count, unsigned stride) \
	{ \
		unsigned thread = blockIdx.x * blockDim.x + threadIdx.x; \
		unsigned threads = gridDim.x * blockDim.x; \
		unsigned long long sum = 0; \
		for (unsigned long long k = thread; k < count; k += threads) { \
			double x, y; \
			uint64_t number = double_input(first + k * stride, &x, &y); \
			sum += double_term(expression, number); \
		} \
		sums[thread] = sum; \
	}

DOUBLE_LIST(DOUBLE_KERNEL)
