/* math_table.h - the table of verified functions: name, kernel, and hashes from a GPU.
 *
 * Rows are in the order of kernels/math_list.h, then of kernels/double_list.h. Used by
 * engine/verify_math.c, which runs them.
 */
#ifndef MATH_TABLE_H
#define MATH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel_table.h"

/* Hashes as kernels/math_list.h defines them: over all inputs, and over the sample. Of a double
 * function, sums as kernels/double_list.h defines them: over the seeded inputs, and over the pairs
 * of boundary values. */
struct math_sums {
	uint64_t full, sample;
};

struct math_function {
	const char *name;               /* "expf", "ex2.approx.ftz.f32", "x / y" */
	int arguments;                  /* 1 or 2 */
	bool is_double;
	struct kernel kernel;           /* not in kernel_table, since it is not part of attention */
	const struct math_sums *sums;   /* computed by the hardware */
};

extern const struct math_function math_table[];
extern const int math_count;

const struct math_function *math_find(const char *name);        /* NULL if not found */

/* The number of inputs in a full run. */
uint64_t math_inputs(const struct math_function *);

#endif
