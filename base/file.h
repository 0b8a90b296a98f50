/* file.h - opens files to read, reads small files whole, makes and removes temporary folders.
 * Does not parse files. Used by whatever reads a file that a user names. */
#ifndef FILE_H
#define FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

/* Opens a file to read, without waiting for a writer. IO with the path and the reason: also for a
 * named pipe or a socket, which may never have one. What a shell passes as /dev/stdin or /dev/fd/N
 * may be a pipe. */
enum status file_open(const char *path, FILE **out);
/* IO if file_open() would refuse the path as a named pipe or a socket; for files that a library
 * opens. A file that does not exist is OK. */
enum status file_check(const char *path);

/* Reads all of `path` into a new buffer and appends a NUL, which is not counted; the caller frees
 * it. IO with the path and the reason; USAGE if the file is larger than `limit` bytes. */
enum status file_read(const char *path, size_t limit, char **bytes, size_t *count);

/* Makes a folder PARENT/NAME.XXXXXX that only its owner can use, with the X replaced so that it
 * is new; the caller frees its path. parent NULL: $TMPDIR, or /tmp. IO with path and reason. */
enum status file_make_folder(const char *parent, const char *name, char **path);
/* Removes a file, or a folder and all in it, as far as that is possible. Symbolic links, which a
 * user's kernel may have made, are not followed. */
void file_remove_tree(const char *path);

#endif
