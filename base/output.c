/* output.c - writes a file under a temporary name, then renames it; see output.h.
 *
 * Not used for traces, which must be readable while they grow (see store.h). Used for all other
 * files that commands write.
 */
#include "config.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

/* Follows a symbolic link, so that its target is replaced and the link stays. */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : xstrdup(path);
}

static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* For output_abandon(), which a signal handler may call at any time. No more than 8 files are ever
 * open at once; a signal would not remove a ninth. */
static const char *volatile temporaries[8];

void output_remember(const char *temporary)
{
	for (size_t i = 0; i < sizeof temporaries / sizeof temporaries[0]; i++)
		if (!temporaries[i]) {
			temporaries[i] = temporary;
			return;
		}
}

void output_forget(const char *temporary)
{
	for (size_t i = 0; i < sizeof temporaries / sizeof temporaries[0]; i++)
		if (temporaries[i] == temporary)
			temporaries[i] = NULL;
}

void output_abandon(void)
{
	for (size_t i = 0; i < sizeof temporaries / sizeof temporaries[0]; i++)
		if (temporaries[i])
			unlink(temporaries[i]);
}

static void release(struct output *out)
{
	if (out->temporary)
		output_forget(out->temporary);
	free(out->path);
	free(out->temporary);
	*out = (struct output){ 0 };
}

enum status output_open(const char *path, struct output *out)
{
	const char *name;

	out->expendable = false;
	if (*path == '\0')
		return fail(STATUS_IO, "an empty name cannot be an output file");
	out->path = resolve(path);
	out->temporary = is_special(out->path) ? NULL
		: xasprintf("%s.tmp.%ld", out->path, (long)getpid());
	name = out->temporary ? out->temporary : out->path;
	if (out->temporary)
		output_remember(out->temporary);
	out->file = fopen(name, "wb");
	if (!out->file) {
		fail(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
		release(out);
		return STATUS_IO;
	}
	return STATUS_OK;
}

enum status output_check(const char *path)
{
	struct output out;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return fail(STATUS_IO, "%s: cannot write: %s", path, strerror(EISDIR));
	/* The other end of a pipe would notice that it was opened. */
	if (is_special(path))
		return STATUS_OK;
	TRY(output_open(path, &out));
	output_discard(&out);
	return STATUS_OK;
}

bool output_is(const char *path, const char *file)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(file, &b) == 0 && a.st_dev == b.st_dev
		&& a.st_ino == b.st_ino;
}

/* Renaming over an existing file makes ext4 write the new one to the disk at once, which takes as
 * long as some runs do; exchanging the two does not. */
static bool exchange(const struct output *out)
{
#ifdef RENAME_EXCHANGE
	return renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_EXCHANGE) == 0;
#else
	(void)out;
	return false;
#endif
}

static int rename_temporary(const struct output *out)
{
	if (out->expendable && exchange(out))
		return unlink(out->temporary);
	return rename(out->temporary, out->path);
}

enum status output_commit(struct output *out)
{
	bool broken;
	int error;

	/* Flushed before the close, so that errno gives the reason. */
	broken = fflush(out->file) != 0 || ferror(out->file);
	error = errno;
	if (fclose(out->file) != 0 && !broken) {
		broken = true;
		error = errno;
	}
	if (!broken && out->temporary && rename_temporary(out) != 0) {
		broken = true;
		error = errno;
	}
	if (broken) {
		fail(STATUS_IO, "%s: cannot write: %s", out->path, strerror(error));
		if (out->temporary)
			unlink(out->temporary);
	}
	release(out);
	return broken ? STATUS_IO : STATUS_OK;
}

enum status output_text(const char *path, const char *text)
{
	struct output out;

	TRY(output_open(path, &out));
	fputs(text, out.file);
	return output_commit(&out);
}

void output_discard(struct output *out)
{
	fclose(out->file);
	if (out->temporary)
		unlink(out->temporary);
	release(out);
}
