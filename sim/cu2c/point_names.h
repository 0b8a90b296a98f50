/* point_names.h - the named points of a user's file, in the order of the text: a point's number in
 * the records of both devices. Serves the compilers of users' kernels. */
#ifndef POINT_NAMES_H
#define POINT_NAMES_H

#include <stddef.h>

#include "base/status.h"

/* What a record's filter has room for. */
#define MAX_POINT_NAMES 64

/* The names in the text, preprocessed without FLASHTWIN_PROBE (kernels/points.h): *names ends with
 * NULL and is NULL when there are none; free with point_names_free(). COMPILE for a name that is no
 * identifier or one of our own, and for too many. */
enum status point_names_find(const char *file, const char *text, size_t bytes, char ***names);
/* "X(a, ...) X(b, ...)", the body of POINT_LIST(X); the caller frees it. */
char *point_names_list(char *const *names);
void point_names_free(char **names);

#endif
