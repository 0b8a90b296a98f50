/* value.h - the bits of an element as a value: NaN, distance in ulp, text.
 *
 * `bits` holds the bits of one element, zero-extended. Two values are equal if their bits are equal
 * or both are NaN. Used by the comparison of runs, the state of a trace and the views.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

bool value_is_float(enum dtype);
/* f16, bf16 or e4m3: types with fewer bytes than f32. */
bool value_is_narrow(enum dtype);
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
/* Rounds `count` f32 values, which need not be aligned, to f16, bf16 or e4m3, as kv_scatter_f16 and
 * its like do when they write new rows of a KV cache. */
void value_round(enum dtype, const void *from, size_t count, void *to);
/* Widens `count` values of f16 or bf16, which need not be aligned, to f32, exactly. */
void value_widen(enum dtype, const void *from, size_t count, float *to);
/* Formats a float so that it reads back exactly, an integer in full. */
void value_text(char *out, size_t size, enum dtype, uint64_t bits);

#endif
