/* last_run.c - where the last run is kept, how it gets there, and opening it; see last_run.h.
 *
 * A run is recorded in memory and written when it has ended, under a temporary name that is then
 * renamed (base/output.h). Of runs that end at the same time the last one to rename wins. A kill
 * while a run lasts leaves nothing; one during the writing, or of a launch, whose process has a
 * folder of its own here, leaves last.twin.tmp.<pid>, which a later run removes.
 */
#include "config.h"

#include "tui/last_run.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/user_folder.h"
#include "base/xalloc.h"
#include "traces/store/store.h"

#define FILE_NAME "last.twin"
#define TEMPORARY FILE_NAME ".tmp."

/* --- the folder --- */

/* Whether a name is that of a temporary file or folder whose process has ended. This process has
 * made none yet: one with its number is older. */
static bool is_stale(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) != 0)
		return false;
	errno = 0;
	pid = strtol(name + strlen(TEMPORARY), &end, 10);
	if (end == name + strlen(TEMPORARY) || errno || pid <= 0)
		return false;
	return pid == (long)getpid() || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

static void remove_stale(const char *folder)
{
	DIR *entries = opendir(folder);
	struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL) {
		char *path;

		if (!is_stale(entry->d_name))
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		file_remove_tree(path);
		free(path);
	}
	if (entries)
		closedir(entries);
}

static enum status prepare(char **path)
{
	char *folder;

	TRY(user_folder_make(USER_FOLDER_STATE, &folder));
	remove_stale(folder);
	*path = xasprintf("%s/" FILE_NAME, folder);
	free(folder);
	return STATUS_OK;
}

/* --- keeping a run --- */

void last_run_warn(const char *command)
{
	fprintf(stderr, "flashtwin %s: not kept as the last run: %s; -o T.twin records it\n",
		command, error_text());
	error_clear();
}

char *last_run_begin(const char *command)
{
	char *path = NULL;

	if (prepare(&path) != STATUS_OK)
		last_run_warn(command);
	return path;
}

enum status last_run_record(struct store **out)
{
	const struct store_options options = { .expendable = true, .max_bytes = LAST_RUN_BYTES };

	return store_create(NULL, &options, out);
}

static enum status write_image(const char *path, const void *bytes, size_t count)
{
	struct output out;

	TRY(output_open(path, &out));
	out.expendable = true;
	/* Prompts and tensors are in it. output_commit() reports a short write. */
	fchmod(fileno(out.file), 0600);
	fwrite(bytes, 1, count, out.file);
	return output_commit(&out);
}

static enum status too_large(void)
{
	return fail(STATUS_IO, "larger than %d MiB", (int)(LAST_RUN_BYTES >> 20));
}

enum status last_run_check(const char *path)
{
	struct stat about;

	return lstat(path, &about) == 0 && about.st_size > LAST_RUN_BYTES ? too_large() : STATUS_OK;
}

static enum status keep(struct store *store, const char *path)
{
	enum status status;
	void *bytes;
	size_t count;

	TRY(store_image(store, &bytes, &count));
	status = count > (size_t)LAST_RUN_BYTES ? too_large() : write_image(path, bytes, count);
	sqlite3_free(bytes);
	return status;
}

void last_run_keep(struct store *store, const char *path, const char *command)
{
	if (keep(store, path) == STATUS_OK)
		return;
	unlink(path);
	last_run_warn(command);
}

/* --- opening it --- */

enum status last_run_find(const char **path)
{
	static char *found;             /* kept for callers until the program ends */
	char *folder;

	if (user_folder_find(USER_FOLDER_STATE, &folder) != STATUS_OK)
		return fail_context(STATUS_USAGE, "expected a trace: there is no last run");
	free(found);
	found = xasprintf("%s/" FILE_NAME, folder);
	free(folder);
	*path = found;
	if (access(found, F_OK) == 0)
		return STATUS_OK;
	return fail(STATUS_USAGE, "expected a trace: there is no last run, which decode, attend,"
		    " launch and run without -o keep as %s", found);
}

enum status last_run_traces(int argc, char **argv, int rest, int max, const char **paths,
			    bool *is_last)
{
	int given = argc - rest;

	if (is_last)
		*is_last = given == 0;
	if (given > max)
		return fail(STATUS_USAGE, max == 1 ? "expected one trace, got %d"
			    : "expected one or two traces, got %d", given);
	for (int i = 0; i < max; i++)
		paths[i] = i < given ? argv[rest + i] : NULL;
	return given ? STATUS_OK : last_run_find(&paths[0]);
}
