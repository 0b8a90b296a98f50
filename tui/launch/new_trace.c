/* new_trace.c - the folder that a kernel's process records into; see new_trace.h. */
#include "config.h"

#include "tui/launch/new_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "traces/store/store.h"
#include "tui/launch/sandbox.h"

/* The folder of a file; the caller frees it. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xasprintf("%.*s", (int)(slash - path + 1), path) : xstrdup(".");
}

static void allow_append(const char *path, struct sandbox *sandbox)
{
	char *folder = folder_of(path), *real = realpath(path, NULL);

	sandbox_write(sandbox, folder);
	free(folder);
	if (real) {
		folder = folder_of(real);
		sandbox_write(sandbox, folder);
		free(folder);
	}
	free(real);
}

enum status new_trace_begin(struct new_trace *t, const char *path, bool force, bool append,
			    struct sandbox *sandbox)
{
	const char *slash;

	*t = (struct new_trace){ .path = path, .force = force };
	if (!path)
		return STATUS_OK;
	if (append) {
		allow_append(path, sandbox);
		t->inside = xstrdup(path);
		return STATUS_OK;
	}
	TRY(store_check_absent(path, force));
	t->folder = xasprintf("%s.tmp.%ld", path, (long)getpid());
	if (mkdir(t->folder, 0700) != 0) {
		enum status status = fail(STATUS_IO, "%s: cannot write: %s", path, strerror(errno));

		free(t->folder);
		t->folder = NULL;
		return status;
	}
	slash = strrchr(path, '/');
	t->inside = xasprintf("%s/%s", t->folder, slash ? slash + 1 : path);
	sandbox_write(sandbox, t->folder);
	return STATUS_OK;
}

/* What a killed process had begun to write is rolled back by opening the trace. False if there is
 * no trace. */
static bool settle(const struct new_trace *t)
{
	struct store *store;
	struct stat st;

	if (lstat(t->inside, &st) != 0 || !S_ISREG(st.st_mode)
	    || store_open(t->inside, &store) != STATUS_OK)
		return false;
	return store_close(store) == STATUS_OK;
}

static enum status give_name(const struct new_trace *t)
{
	char *journal = xasprintf("%s-journal", t->path);
	struct stat st;

	/* A journal next to the name belongs to a file that is gone or about to be replaced. */
	if (t->force || access(t->path, F_OK) != 0)
		unlink(journal);
	free(journal);
	if (!t->force && link(t->inside, t->path) == 0)
		return STATUS_OK;
	/* Some file systems have no hard links. */
	if (!t->force && (errno == EEXIST || lstat(t->path, &st) == 0))
		return fail(STATUS_USAGE, "%s: file exists; --force replaces it", t->path);
	if (rename(t->inside, t->path) != 0)
		return fail(STATUS_IO, "%s: cannot write: %s", t->path, strerror(errno));
	return STATUS_OK;
}

/* The message with the trace's own name in it. */
static void rename_in_message(const struct new_trace *t, enum status status)
{
	const char *text = error_text(), *at = strstr(text, t->inside);

	if (at)
		fail(status, "%.*s%s%s", (int)(at - text), text, t->path, at + strlen(t->inside));
}

enum status new_trace_end(struct new_trace *t, bool keep, enum status status)
{
	struct error_record error;

	if (t->folder) {
		if (status != STATUS_OK && status != STATUS_DIFFERS)
			rename_in_message(t, status);
		error_save(&error);
		if (keep && settle(t))
			status = error_first(status, &error, give_name(t));
		else
			error_restore(&error);
		file_remove_tree(t->folder);
	}
	free(t->folder);
	free(t->inside);
	*t = (struct new_trace){ 0 };
	return status;
}
