/* value.h - bits of an element as a value: NaN, distance in the last place, text.
 *
 * `bits` are those of one element, zero-extended. Two values are the same when their bits are, or
 * when both are a NaN. Serves the comparison of runs and the views.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

bool value_is_float(enum dtype);
/* All three false for what is no float. */
bool value_is_nan(enum dtype, uint64_t bits);
bool value_is_infinite(enum dtype, uint64_t bits);
bool value_equal(enum dtype, uint64_t a, uint64_t b);
/* Representable numbers between two floats, at most INT64_MAX; -1 when one of them is no finite
 * float. The two zeros are one. */
int64_t value_distance(enum dtype, uint64_t a, uint64_t b);
/* The element at `at`, which need not be aligned. */
uint64_t value_load(enum dtype, const void *at);
/* Of a float or an integer; those of 64 bits are rounded. */
double value_real(enum dtype, uint64_t bits);
/* A float so that it reads back alike, an integer in full. */
void value_text(char *out, size_t size, enum dtype, uint64_t bits);

#endif
