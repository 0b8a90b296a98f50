/* file.c - reads whole files; see file.h. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Reads to the end instead of trusting a size: pipes and /dev/stdin have none. */
static enum status read_all(FILE *file, const char *path, size_t limit, char **bytes, size_t *count)
{
	size_t capacity = 4096, used = 0, got;
	char *buffer = xmalloc(capacity);

	while ((got = fread(buffer + used, 1, capacity - used - 1, file)) > 0) {
		used += got;
		if (used > limit) {
			free(buffer);
			return fail(STATUS_USAGE, "%s: file is larger than %zu bytes", path, limit);
		}
		if (capacity - used == 1) {
			capacity *= 2;
			buffer = xrealloc(buffer, capacity);
		}
	}
	if (ferror(file)) {
		free(buffer);
		return fail(STATUS_IO, "%s: %s", path, strerror(errno));
	}
	buffer[used] = '\0';
	*bytes = buffer;
	*count = used;
	return STATUS_OK;
}

enum status file_read(const char *path, size_t limit, char **bytes, size_t *count)
{
	enum status status;
	FILE *file;

	if (*path == '\0')
		return fail(STATUS_IO, "an empty name cannot be a file");
	file = fopen(path, "rb");
	if (!file)
		return fail(STATUS_IO, "%s: %s", path, strerror(errno));
	status = read_all(file, path, limit, bytes, count);
	fclose(file);
	return status;
}
