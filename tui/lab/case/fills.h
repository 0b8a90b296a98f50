/* fills.h - the distributions that inputs of cases are drawn from. */
#ifndef FILLS_H
#define FILLS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tui/lab/case/expression.h"

/* Fills `count` elements in rows of `row` elements. `fill` is a list: a name of labs/README.md and
 * expressions; `integers` says that the array has no fractions. INTERNAL, naming `what`, for an
 * unknown name or a wrong number of expressions. */
enum status fill_array(const json_t *fill, const struct names *, const char *what, uint64_t seed,
		       size_t count, size_t row, bool integers, double *out);

#endif
