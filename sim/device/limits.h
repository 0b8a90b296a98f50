/* limits.h - device profiles: limits of launches, and the CUDA errors for exceeding them. */
#ifndef SIM_LIMITS_H
#define SIM_LIMITS_H

#include "engine/device.h"

struct profile {
	const char *name;
	struct device_info info;
	/* Capacity of a multiprocessor; each block also reserves some shared memory. */
	unsigned resident_blocks, resident_threads;
	size_t resident_shared, shared_per_block_reserved;
	/* Blocks of a cluster, without and with the attribute NONPORTABLE_CLUSTER. */
	unsigned cluster_portable, cluster_nonportable;
};

/* NULL name: "h200". USAGE if unknown. */
enum status profile_find(const char *name, const struct profile **out);

/* The driver's checks before a kernel starts. static_bytes: of the kernel's shared variables;
 * granted: dynamic bytes allowed by the function attribute, negative if it was not set.
 * DEVICE with error_code() 1 (invalid value) or 701 (too many threads for the kernel). */
enum status limits_check(const struct profile *, const struct launch *, const struct sim_code *,
			 size_t static_bytes, int64_t granted);

/* The driver's checks of the launch's cluster, whose sizes are at least 1. DEVICE with error_code()
 * 912 (invalid cluster size). */
enum status limits_check_cluster(const struct profile *, const struct launch *,
				 const struct sim_code *, bool nonportable);

/* Whether all blocks fit on the device at once, as those of a cooperative launch must: DEVICE with
 * error_code() 720 if not. Registers are not considered. */
enum status limits_check_resident(const struct profile *, const struct launch *,
				  size_t static_bytes);

/* The driver's checks when the attribute is set. */
enum status limits_check_shared_attribute(const struct profile *, size_t static_bytes,
					  int64_t wanted);

#endif
