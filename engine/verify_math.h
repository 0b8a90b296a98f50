/* verify_math.h - runs the proven float functions on a device and hashes their results.
 *
 * kernels/math_list.h lists the functions and their inputs, and defines the hash. The caller
 * compares with the hashes in kernels/math_table.h. Used by `flashtwin info --verify-math` and the
 * tests.
 */
#ifndef VERIFY_MATH_H
#define VERIFY_MATH_H

#include <stdint.h>

#include "engine/device.h"
#include "kernels/math_table.h"

/* Inputs first, first + stride, ...: `count` of them. */
struct math_range {
	uint64_t first, count;
	unsigned stride;
};

/* Allocates the device memory that all calls on one device share. Freed by device_free() or with
 * the device. */
enum status verify_math_alloc(struct device *, struct buffer **sums);

/* Adds the hash of the range to *sum. */
enum status verify_math_range(struct device *, struct buffer *sums, const struct math_function *,
			      struct math_range, uint64_t *sum);

/* Sets *sum to the hash of the sample. */
enum status verify_math_sample(struct device *, struct buffer *sums, const struct math_function *,
			       uint64_t *sum);

#endif
