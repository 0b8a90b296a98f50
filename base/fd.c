/* fd.c - writes and reads of a whole block of bytes; see fd.h. */
#include "base/fd.h"

#include <errno.h>
#include <unistd.h>

bool fd_write(int fd, const void *bytes, size_t count)
{
	while (count > 0) {
		ssize_t wrote = write(fd, bytes, count);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		bytes = (const char *)bytes + wrote;
		count -= (size_t)wrote;
	}
	return true;
}

bool fd_read(int fd, void *bytes, size_t count)
{
	while (count > 0) {
		ssize_t got = read(fd, bytes, count);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes = (char *)bytes + got;
		count -= (size_t)got;
	}
	return true;
}
