/* lab_start.c - see lab_start.h. */
#include "config.h"

#include "tui/lab/lab_start.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"

#define MAX_FILE ((size_t)16 << 20)

static enum status copy(const char *from, const char *to)
{
	struct output output;
	enum status status;
	size_t count;
	char *bytes;

	TRY(file_read(from, MAX_FILE, &bytes, &count));
	status = output_open(to, &output);
	if (status == STATUS_OK) {
		fwrite(bytes, 1, count, output.file);
		status = output_commit(&output);
	}
	free(bytes);
	return status;
}

static enum status copy_entry(const struct lab *lab, const char *name, const char *folder)
{
	char *from = xasprintf("%s/%s", lab->folder, name);
	char *to = xasprintf("%s/%s", folder, name);
	struct stat st;
	enum status status = STATUS_OK;

	if (*name != '.' && strcmp(name, "lab.json") != 0 && stat(from, &st) == 0
	    && S_ISREG(st.st_mode))
		status = copy(from, to);
	free(from);
	free(to);
	return status;
}

enum status lab_start(const struct lab *lab, const char *folder)
{
	enum status status = STATUS_OK;
	struct dirent *entry;
	DIR *all;

	if (mkdir(folder, 0777) != 0)
		return errno == EEXIST ? fail(STATUS_USAGE, "%s: file exists: remove it, or name "
					      "another folder: flashtwin lab start %d DIR", folder,
					      lab->number)
			: fail(STATUS_IO, "%s: %s", folder, strerror(errno));
	all = opendir(lab->folder);
	if (!all)
		return fail(STATUS_IO, "%s: %s", lab->folder, strerror(errno));
	while (status == STATUS_OK && (entry = readdir(all)))
		status = copy_entry(lab, entry->d_name, folder);
	closedir(all);
	return status;
}
