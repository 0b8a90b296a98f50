/* user_folder.c - finds and makes folders of the user; see user_folder.h. */
#include "base/user_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

static const struct { const char *variable, *in_home; } folders[] = {
	[USER_FOLDER_STATE] = { "XDG_STATE_HOME", ".local/state" },
	[USER_FOLDER_CACHE] = { "XDG_CACHE_HOME", ".cache" },
};

/* A relative path counts as not set. *given: how much of the path the user has named, in bytes. */
static enum status find(enum user_folder which, char **out, size_t *given)
{
	const char *folder = getenv(folders[which].variable), *home = getenv("HOME");

	*out = NULL;
	*given = 0;
	if (folder && *folder == '/') {
		*out = xasprintf("%s/flashtwin", folder);
		return STATUS_OK;
	}
	if (!home || *home != '/')
		return fail(STATUS_IO, "neither %s nor HOME names a folder",
			    folders[which].variable);
	*given = strlen(home);
	*out = xasprintf("%s/%s/flashtwin", home, folders[which].in_home);
	return STATUS_OK;
}

/* Makes the folders of a path after its first `given` bytes, as far as they do not exist. */
static enum status make_folders(const char *path, size_t given)
{
	char *part = xstrdup(path);
	enum status status = STATUS_OK;

	for (char *at = part + given + 1; at && status == STATUS_OK; at = at ? at + 1 : NULL) {
		at = strchr(at, '/');
		if (at)
			*at = '\0';
		if (mkdir(part, 0700) != 0 && errno != EEXIST)
			status = fail(STATUS_IO, "%s: %s", part, strerror(errno));
		if (at)
			*at = '/';
	}
	free(part);
	return status;
}

enum status user_folder_find(enum user_folder which, char **out)
{
	size_t given;

	return find(which, out, &given);
}

enum status user_folder_make(enum user_folder which, char **out)
{
	size_t given;
	enum status status;

	TRY(find(which, out, &given));
	status = make_folders(*out, given);
	if (status == STATUS_OK && access(*out, W_OK | X_OK) != 0)
		status = fail(STATUS_IO, "%s: %s", *out, strerror(errno));
	if (status != STATUS_OK) {
		free(*out);
		*out = NULL;
	}
	return status;
}
