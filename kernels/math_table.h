/* math_table.h - the table of verified functions: name, kernel, and hashes from a GPU.
 *
 * Rows are in the order of kernels/math_list.h, double_list.h, and sim/cuda/tensor_list.h. Used by
 * engine/verify_math.c, which runs them.
 */
#ifndef MATH_TABLE_H
#define MATH_TABLE_H

#include <stdint.h>

#include "kernels/kernel_table.h"

/* Hashes as kernels/math_list.h defines them: over all inputs, and over the sample. Of a double
 * function, sums as kernels/double_list.h defines them: over the seeded inputs, and over the pairs
 * of boundary values; of matrices, as kernels/matrix_list.h defines them. */
struct math_sums {
	uint64_t full, sample;
};

enum math_kind { MATH_FLOAT, MATH_DOUBLE, MATH_MATRIX };

struct math_function {
	const char *name;               /* "expf", "ex2.approx.ftz.f32", "x / y" */
	int arguments;                  /* 1 or 2; 3 matrices */
	enum math_kind kind;
	struct kernel kernel;           /* not in kernel_table, since it is not part of attention */
	const struct math_sums *sums;   /* computed by the hardware */
};

extern const struct math_function math_table[];
extern const int math_count;

const struct math_function *math_find(const char *name);        /* NULL if not found */

/* The number of inputs in a full run. */
uint64_t math_inputs(const struct math_function *);

#endif
