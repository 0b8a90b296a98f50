/* point_names.h - the named points of a user's file, in order of first use.
 *
 * The index of a name is the number of the point in the records of both devices. Used to compile
 * users' kernels. */
#ifndef POINT_NAMES_H
#define POINT_NAMES_H

#include <stddef.h>

#include "base/status.h"

/* The capacity of a record's point filter, in names. */
#define MAX_POINT_NAMES 64

/* Finds the names in a text that was preprocessed without FLASHTWIN_PROBE (kernels/points.h).
 * *names ends with NULL, and is NULL if there are none; free it with point_names_free(). COMPILE
 * for a name that is not an identifier or is reserved, and for too many names. */
enum status point_names_find(const char *file, const char *text, size_t bytes, char ***names);
/* The body of POINT_LIST(X): "X(a, ...) X(b, ...)". The caller frees it. */
char *point_names_list(char *const *names);
void point_names_free(char **names);

#endif
