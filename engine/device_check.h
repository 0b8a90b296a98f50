/* device_check.h - checks that device.c and device_launch.c share; nobody else includes it.
 *
 * Each gives USAGE with a text that begins with `what`, the operation asked for.
 */
#ifndef DEVICE_CHECK_H
#define DEVICE_CHECK_H

#include "engine/device.h"

/* That there is a device, and that it has the operation. */
enum status check_op(const struct device *, bool present, const char *what);
#define CHECK_OP(device, op) \
	TRY(check_op(device, (device) != NULL && (device)->ops->op != NULL, #op))

/* "WHAT: no MISSING" for NULL. */
enum status check_given(const void *object, const char *what, const char *missing);
/* A null pointer, or a place in a buffer of this device. */
enum status check_pointer(const struct device *, const struct buffer *, uint64_t offset,
			  const char *what);
/* Two ranges that lie in buffers of this device and do not overlap. */
enum status check_copy(const struct device *, const struct buffer *to, uint64_t to_offset,
		       const struct buffer *from, uint64_t from_offset, size_t bytes);

#endif
