/* user_arrays.h - whether a user's file makes pointers from arrays. */
#ifndef USER_ARRAYS_H
#define USER_ARRAYS_H

#include <stdbool.h>

#include "base/status.h"

/* Whether preprocessed text uses an array outside of shared memory in another way than to index it,
 * as in `float *p = sums`, in system headers not counted. May say yes without need. IO or COMPILE
 * for the file. */
enum status user_arrays_escape(const char *preprocessed, bool *out);

#endif
