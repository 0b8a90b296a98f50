/* file.h - reads small files whole. Does not parse them. Used by the model loader and commands. */
#ifndef FILE_H
#define FILE_H

#include <stddef.h>

#include "base/status.h"

/* Reads all of `path` into a new buffer and appends a NUL, which is not counted; the caller frees
 * it. IO with the path and the reason; USAGE if the file is larger than `limit` bytes. */
enum status file_read(const char *path, size_t limit, char **bytes, size_t *count);

#endif
