/* verify_kernel.h - the kernels that verify arithmetic: each sums results over a range of inputs.
 *
 * Part of verify_math.cu and verify_double.cu. Any grid of one dimension, any block of one.
 */
#ifndef VERIFY_KERNEL_H
#define VERIFY_KERNEL_H

/* math_<id>: a thread takes every so many of the inputs i = first + k * stride, k < count, adds to
 * `sum` for each as the statements after `id` say, and writes sums[thread]. */
#define VERIFY_KERNEL(id, ...) \
	KERNEL math_##id(unsigned long long *sums, unsigned long long first, \
			 unsigned long long count, unsigned stride) \
	{ \
		unsigned thread = blockIdx.x * blockDim.x + threadIdx.x; \
		unsigned threads = gridDim.x * blockDim.x; \
		unsigned long long sum = 0; \
		for (unsigned long long k = thread; k < count; k += threads) { \
			unsigned long long i = first + k * stride; \
			__VA_ARGS__ \
		} \
		sums[thread] = sum; \
	}

#endif
