/* limits.h - device profiles: what a launch may ask for, and the CUDA error code when it asks for more. */
#ifndef SIM_LIMITS_H
#define SIM_LIMITS_H

#include "engine/device.h"

struct profile {
	const char *name;
	struct device_info info;
	/* What a multiprocessor holds at a time; shared memory with what each block costs besides. */
	unsigned resident_blocks, resident_threads;
	size_t resident_shared, shared_per_block_reserved;
};

/* NULL name: "h200". USAGE names the profiles there are. */
enum status profile_find(const char *name, const struct profile **out);

/* What the driver checks before it starts a kernel. static_bytes: of the kernel's shared variables;
 * granted: dynamic bytes allowed by the function attribute, 0 if it was not set.
 * DEVICE with error_code() 1 (invalid value) or 701 (too many threads for the kernel). */
enum status limits_check(const struct profile *, const struct launch *, const struct sim_code *,
			 size_t static_bytes, size_t granted);

/* Whether all blocks fit on the device at once, as those of a cooperative launch must: DEVICE with
 * error_code() 720 when not. Registers are not looked at. */
enum status limits_check_resident(const struct profile *, const struct launch *,
				  size_t static_bytes);

/* What setting the attribute itself checks. */
enum status limits_check_shared_attribute(const struct profile *, size_t static_bytes, int64_t wanted);

#endif
