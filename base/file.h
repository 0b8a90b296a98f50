/* file.h - small files, read at once. Knows no format. Serves the model loader and the commands. */
#ifndef FILE_H
#define FILE_H

#include <stddef.h>

#include "base/status.h"

/* Reads all of `path` into a new buffer with a NUL behind it, which is not counted; the caller
 * frees it. IO with the path and the reason; USAGE when it holds more than `limit` bytes. */
enum status file_read(const char *path, size_t limit, char **bytes, size_t *count);

#endif
