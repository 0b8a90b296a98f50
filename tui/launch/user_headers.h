/* user_headers.h - finds the user's own headers that a .cu file includes. */
#ifndef USER_HEADERS_H
#define USER_HEADERS_H

#include "base/status.h"
#include "kernels/kernel_table.h"

struct sandbox;

/* Finds the files in preprocessed text that are neither `file` nor system headers, and that are
 * visible in the sandbox, and appends them to *list, which has *count entries, ends with an entry
 * whose file is NULL, and is reallocated. The caller frees the names and texts of new entries. IO
 * if a file cannot be read. */
enum status user_headers_find(const char *preprocessed, const char *file, const struct sandbox *,
			      struct kernel_source **list, int *count);
/* Replaces the prefix `folder` of names in the text by `shown`; folder NULL: no change. Takes over
 * `text`; the caller frees the result. */
char *user_headers_show(char *text, const char *folder, const char *shown);
/* The same for each change of a list that ends with a `from` of NULL; NULL: none. */
struct name_change {
	const char *from, *to;
};
char *user_headers_show_all(char *text, const struct name_change *);

#endif
