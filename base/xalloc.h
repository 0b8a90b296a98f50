/* xalloc.h - allocation that cannot fail: out of memory prints one line and exits 70.
 *
 * For sizes the program chooses. A size that comes from a file is checked against that file first,
 * or allocated with plain malloc and reported through a status.
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
/* Passes on what another allocator returned, and exits the same way when that is NULL. */
void *xcheck(void *memory);

#endif
