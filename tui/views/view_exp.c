/* view_exp.c - exp as kernels compute it; see view_exp.h. */
#include "tui/views/view_exp.h"

#define EX2_FN static inline
#include "base/math/ex2_model.c"

float view_factor(float max, float row_max)
{
	return max == row_max ? 1.0f : ex2_expf(max - row_max);
}
