/* user_headers.h - the headers of the user's own that a .cu file includes. */
#ifndef USER_HEADERS_H
#define USER_HEADERS_H

#include "base/status.h"
#include "kernels/kernel_table.h"

/* Finds in preprocessed text the files that are neither `file` nor of a system, and appends them to
 * *list, which has *count entries and ends with a file of NULL; it is reallocated. Names and texts
 * of what is appended are the caller's to free. IO when a file cannot be read. */
enum status user_headers_find(const char *preprocessed, const char *file,
			      struct kernel_source **list, int *count);
/* The text, which is the caller's no more, with names in `folder` as `shown` says; NULL: unchanged.
 * The caller frees it. */
char *user_headers_show(char *text, const char *folder, const char *shown);

#endif
