/* launch_listing.h - prints the kernels of a user's file for `flashtwin launch --list`. */
#ifndef LAUNCH_LISTING_H
#define LAUNCH_LISTING_H

#include <stdbool.h>

#include "base/status.h"

struct user_source;

/* Prints kernels with their parameters, and device variables, to stdout: as a table or one JSON
 * object. Nothing is compiled but the preprocessor's part; source->kernel is not used. The errors
 * of user_kernel_list(). */
enum status launch_listing_print(const struct user_source *, bool json);

#endif
