/* file.c - opens and reads files, makes temporary folders; see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

/* --- opening --- */

/* The names of descriptors that are open already: nothing waits for a writer. */
static bool is_descriptor(const char *path)
{
	static const char *const names[] = { "/dev/stdin", "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static enum status check_kind(const char *path, const struct stat *about)
{
	if (!S_ISFIFO(about->st_mode) && !S_ISSOCK(about->st_mode))
		return STATUS_OK;
	return fail(STATUS_IO, "%s: cannot read: expected a regular file, got a %s", path,
		    S_ISFIFO(about->st_mode) ? "named pipe; /dev/stdin reads one" : "socket");
}

enum status file_check(const char *path)
{
	struct stat about;

	return is_descriptor(path) || stat(path, &about) != 0 ? STATUS_OK
		: check_kind(path, &about);
}

/* Checks the open file, which may be another than a moment ago, and lets reads of it wait. */
static enum status check_open(const char *path, int fd)
{
	struct stat about;
	int flags = fcntl(fd, F_GETFL);

	if (fstat(fd, &about) != 0 || flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return fail(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
	return is_descriptor(path) ? STATUS_OK : check_kind(path, &about);
}

enum status file_open(const char *path, FILE **out)
{
	enum status status;
	int fd;

	*out = NULL;
	if (*path == '\0')
		return fail(STATUS_IO, "an empty name cannot be a file");
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return fail(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
	status = check_open(path, fd);
	if (status == STATUS_OK && !(*out = fdopen(fd, "rb")))
		status = fail(STATUS_IO, "%s: cannot read: %s", path, strerror(errno));
	if (status != STATUS_OK)
		close(fd);
	return status;
}

/* --- reading --- */

/* A first guess, which may be wrong. */
static size_t size_of(FILE *file, size_t limit)
{
	struct stat st;

	if (fstat(fileno(file), &st) != 0 || st.st_size <= 0 || (uintmax_t)st.st_size > limit)
		return 0;
	return (size_t)st.st_size;
}

/* Reads to the end instead of trusting a size: pipes and /dev/stdin have none. */
static enum status read_all(FILE *file, const char *path, size_t limit, char **bytes, size_t *count)
{
	size_t capacity = size_of(file, limit) + 4096, used = 0, got;
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

	TRY(file_open(path, &file));
	status = read_all(file, path, limit, bytes, count);
	fclose(file);
	return status;
}

/* --- temporary folders --- */

enum status file_make_folder(const char *parent, const char *name, char **path)
{
	const char *usual = getenv("TMPDIR");

	if (!parent)
		parent = usual && *usual ? usual : "/tmp";
	*path = xasprintf("%s/%s.XXXXXX", parent, name);
	if (mkdtemp(*path))
		return STATUS_OK;
	fail(STATUS_IO, "%s: %s", *path, strerror(errno));
	free(*path);
	*path = NULL;
	return STATUS_IO;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)about, (void)kind, (void)where;
	remove(path);
	return 0;
}

void file_remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
