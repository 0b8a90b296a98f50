/* math_table.h - the proven float functions as rows: name, kernel, and the hashes a GPU gave.
 *
 * For engine/verify_math.c, which runs them. Rows are in the order of kernels/math_list.h.
 */
#ifndef MATH_TABLE_H
#define MATH_TABLE_H

#include <stdint.h>

#include "kernels/kernel_table.h"

/* Hashes as kernels/math_list.h defines them: over all inputs, and over the sample. */
struct math_sums {
	uint64_t full, sample;
};

struct math_function {
	const char *name;               /* "expf", "ex2.approx.ftz.f32", "x / y" */
	int arguments;                  /* 1 or 2 */
	struct kernel kernel;           /* not in kernel_table: it takes no part in attention */
	const struct math_sums *sums;   /* of the hardware */
};

extern const struct math_function math_table[];
extern const int math_count;

const struct math_function *math_find(const char *name);        /* NULL when there is none */

/* How many inputs a full run has. */
uint64_t math_inputs(const struct math_function *);

#endif
