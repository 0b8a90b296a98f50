/* value.h - the bits of an element as a value: NaN, distance in ulp, text.
 *
 * `bits` holds the bits of one element, zero-extended. Two values are equal if their bits are equal
 * or both are NaN. Used by the comparison of runs and the views.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

bool value_is_float(enum dtype);
/* Both are false for types that are not floats. */
bool value_is_nan(enum dtype, uint64_t bits);
bool value_is_infinite(enum dtype, uint64_t bits);
bool value_equal(enum dtype, uint64_t a, uint64_t b);
/* Distance between two floats in ulp, at most INT64_MAX; -1 if either is not a finite float. +0 and
 * -0 have distance 0. */
int64_t value_distance(enum dtype, uint64_t a, uint64_t b);
/* The element at `at`, which need not be aligned. */
uint64_t value_load(enum dtype, const void *at);
/* The value of a float or an integer; 64-bit integers are rounded. */
double value_real(enum dtype, uint64_t bits);
/* Formats a float so that it reads back exactly, an integer in full. */
void value_text(char *out, size_t size, enum dtype, uint64_t bits);

#endif
