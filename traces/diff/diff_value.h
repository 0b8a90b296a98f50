/* diff_value.h - compares arrays of bytes as values.
 *
 * Used by diff_ops.c, diff_rows.c and diff_points.c.
 */
#ifndef DIFF_VALUE_H
#define DIFF_VALUE_H

#include "traces/diff/diff_report.h"

/* Compares `bytes` bytes of two arrays as values of `type`; true if they are equal within the
 * tolerance, where a NaN equals a NaN. Reports one item, for the first difference, as NAME[first +
 * index]. With first = -1 there is one value, called NAME. */
bool diff_values(struct diff *, const struct diff_place *, const char *name, enum dtype type,
		 const void *a, const void *b, size_t bytes, int64_t first);
/* The same for f32 bit patterns. */
bool diff_f32(struct diff *, const struct diff_place *, const char *name, uint32_t a, uint32_t b);

#endif
