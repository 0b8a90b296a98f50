/* verify_math.h - runs the proven float functions on a device and hashes what it answers.
 *
 * For `flashtwin info --verify-math` and the tests. Which functions there are, their inputs and the
 * hash: kernels/math_list.h. Comparing with the hashes in kernels/math_table.h, and saying so, is
 * the caller's business.
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

/* Device memory that all calls on one device share; freed by device_free() or with the device. */
enum status verify_math_alloc(struct device *, struct buffer **sums);

/* Adds the hash of the range to *sum. */
enum status verify_math_range(struct device *, struct buffer *sums, const struct math_function *,
			      struct math_range, uint64_t *sum);

/* The hash of the sample in *sum. */
enum status verify_math_sample(struct device *, struct buffer *sums, const struct math_function *,
			       uint64_t *sum);

#endif
