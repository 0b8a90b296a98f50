/* fd.h - writes and reads of a whole block of bytes, however many calls that takes.
 *
 * Used for pipes and temporary files between processes of this program.
 */
#ifndef FD_H
#define FD_H

#include <stdbool.h>
#include <stddef.h>

/* False if not all bytes could be written, or read; errno is the system's, except at the end. */
bool fd_write(int fd, const void *bytes, size_t count);
bool fd_read(int fd, void *bytes, size_t count);

#endif
