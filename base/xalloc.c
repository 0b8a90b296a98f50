/* xalloc.c - memory allocation that exits when memory runs out; see xalloc.h.
 *
 * This is the only code below the commands that prints and exits: without memory, callers could not
 * handle an error.
 */
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *xcheck(void *memory)
{
	if (!memory) {
		fprintf(stderr, "flashtwin: out of memory\n");
		exit(70);
	}
	return memory;
}

/* count * size in bytes; an overflow counts as out of memory. */
static size_t product(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		xcheck(NULL);
	return bytes;
}

/* A request for zero bytes returns a pointer too, so that NULL always means failure. */
void *xmalloc(size_t bytes)
{
	return xcheck(malloc(bytes ? bytes : 1));
}

void *xcalloc(size_t count, size_t size)
{
	size_t bytes = product(count, size);

	return xcheck(calloc(bytes ? bytes : 1, 1));
}

void *xrealloc(void *old, size_t bytes)
{
	return xcheck(realloc(old, bytes ? bytes : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return xrealloc(old, product(count, size));
}

char *xstrdup(const char *text)
{
	return xcheck(strdup(text));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = xmalloc(length < 0 ? SIZE_MAX : (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}
