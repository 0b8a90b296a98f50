/* xalloc.h - memory allocation that never returns NULL: it prints one line and exits with 70.
 *
 * For sizes that the program chooses. A size read from a file is checked against the file first, or
 * allocated with plain malloc(), whose failure is reported as a status.
 */
#ifndef XALLOC_H
#define XALLOC_H

#include <stddef.h>

void *xmalloc(size_t bytes);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t bytes);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns `memory`, which another allocator returned; exits the same way if it is NULL. */
void *xcheck(void *memory);

#endif
