/* info_math.h - `flashtwin info --verify-math`: tests every float function over all its inputs. */
#ifndef INFO_MATH_H
#define INFO_MATH_H

#include <stdbool.h>

#include "base/status.h"

struct info_math_options {
	const char *device;             /* "cuda" or "sim" */
	int jobs;                       /* threads of the simulator; 0: one per processor */
	char *const *words;             /* only functions whose name contains one; borrowed */
	int word_count;                 /* 0: all functions */
	bool json;
};

/* Prints one line per function and "N passed, N failed". DIFFERS if any hash differs from the
 * hardware's; USAGE if no function's name contains one of the words; NO_GPU; INTERRUPTED; DEVICE.
 */
enum status info_math(const struct info_math_options *);

#endif
