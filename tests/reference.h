/* reference.h - for tests: straightforward attention of one row, to check kernels against.
 *
 * Used by test_path_accuracy.c and test_defects.c.
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"

/* Attention of one query to n keys: `exact` in double, `plain` in float with ordinary softmax. Rows
 * of v have Dv elements. */
static inline void reference_row(const float *q, const float *k, const float *v, int n, size_t D,
				 size_t Dv, float scale, double *exact, float *plain)
{
	double *weight = xcalloc((size_t)n + 1, sizeof *weight), max = -INFINITY, sum = 0.0;
	float *rough = xcalloc((size_t)n + 1, sizeof *rough), rough_max = -INFINITY,
	      rough_sum = 0.0f;

	for (size_t j = 0; j < (size_t)n; j++) {
		for (size_t d = 0; d < D; d++) {
			weight[j] += (double)q[d] * k[j * D + d];
			rough[j] += q[d] * k[j * D + d];
		}
		max = fmax(max, weight[j] *= scale);
		rough_max = fmaxf(rough_max, rough[j] *= scale);
	}
	for (size_t j = 0; j < (size_t)n; j++) {
		sum += weight[j] = exp(weight[j] - max);
		rough_sum += rough[j] = expf(rough[j] - rough_max);
	}
	for (size_t d = 0; d < Dv; d++) {
		exact[d] = 0.0;
		plain[d] = 0.0f;
		for (size_t j = 0; j < (size_t)n; j++) {
			exact[d] += weight[j] / sum * v[j * Dv + d];
			plain[d] += rough[j] / rough_sum * v[j * Dv + d];
		}
	}
	free(weight);
	free(rough);
}

#endif
