/* device_check.h - checks that device.c and device_launch.c share; no other file includes it.
 *
 * Each returns USAGE with a text that begins with `what`, the name of the operation.
 */
#ifndef DEVICE_CHECK_H
#define DEVICE_CHECK_H

#include "engine/device.h"

/* The device is not NULL and has the operation. */
enum status check_op(const struct device *, bool present, const char *what);
#define CHECK_OP(device, op) \
	TRY(check_op(device, (device) != NULL && (device)->ops->op != NULL, #op))

/* The object is not NULL. The text is "WHAT: no MISSING". */
enum status check_given(const void *object, const char *what, const char *missing);
/* A null pointer, or an offset within a buffer of this device. */
enum status check_pointer(const struct device *, const struct buffer *, uint64_t offset,
			  const char *what);
/* Two ranges within buffers of this device that do not overlap. */
enum status check_copy(const struct device *, const struct buffer *to, uint64_t to_offset,
		       const struct buffer *from, uint64_t from_offset, size_t bytes);

#endif
