/* ilogb.c - ilogbf() and ilogb() of kernels on aarch64, where the C library's differ from CUDA's.
 *
 * Of zero and of a NaN a GPU gives the minimum integer. C leaves that to the implementation: on
 * x86-64 it is the same, on aarch64 zero and NaN have two others. sim/cuda/aarch64.h gives kernels
 * these functions.
 */
#include "config.h"

#include "sim/cuda/runtime.h"

#include <limits.h>
#include <math.h>

int ft_ilogbf(float x)
{
	return x == 0.0f || x != x ? INT_MIN : ilogbf(x);
}

int ft_ilogb(double x)
{
	return x == 0.0 || x != x ? INT_MIN : ilogb(x);
}
