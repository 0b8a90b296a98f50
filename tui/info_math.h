/* info_math.h - `flashtwin info --verify-math`: every float function over all inputs, on a device. */
#ifndef INFO_MATH_H
#define INFO_MATH_H

#include <stdbool.h>

#include "base/status.h"

struct info_math_options {
	const char *device;             /* "cuda" or "sim" */
	int jobs;                       /* threads of the simulator; 0: one per processor */
	char *const *words;             /* only functions whose name holds one of these; borrowed */
	int word_count;                 /* 0: all functions */
	bool json;
};

/* Prints one line per function and "N passed, N failed". DIFFERS when any hash is not the
 * hardware's, NO_GPU, USAGE when the words name no function, INTERRUPTED, DEVICE. */
enum status info_math(const struct info_math_options *);

#endif
