/* lab_find.c - finds the folders of labs; see lab.h. */
#include "tui/lab/case/lab.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tui/datadir.h"

char *lab_folder_name(const struct lab *lab)
{
	return xasprintf("%02d-%s", lab->number, lab->name);
}

void lab_staff(const struct lab *lab, staff_fn *fn, void *context)
{
	char *all = xasprintf("%s/..", lab->folder);
	DIR *folder = opendir(all);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *staff = xasprintf("%s/%s/staff", all, entry->d_name);

		if (*entry->d_name != '.')
			fn(context, staff);
		free(staff);
	}
	if (folder)
		closedir(folder);
	free(all);
}

static int by_number(const void *a, const void *b)
{
	const struct lab *const *first = a, *const *second = b;

	return ((*first)->number > (*second)->number) - ((*first)->number < (*second)->number);
}

/* A folder without lab.json is not a lab. */
static enum status add_folder(const char *folder, const char *name, struct lab ***list, int *count)
{
	char *path = xasprintf("%s/%s", folder, name), *file = xasprintf("%s/lab.json", path);
	enum status status = STATUS_OK;

	if (access(file, F_OK) == 0) {
		*list = xreallocarray(*list, (size_t)*count + 1, sizeof **list);
		status = lab_read(path, &(*list)[*count]);
		*count += status == STATUS_OK;
	}
	free(file);
	free(path);
	return status;
}

static enum status read_folder(const char *folder, struct lab ***out, int *count)
{
	DIR *all = opendir(folder);
	enum status status = STATUS_OK;
	struct dirent *entry;

	if (!all)
		return fail(STATUS_IO, "%s: %s", folder, strerror(errno));
	while (status == STATUS_OK && (entry = readdir(all)))
		if (entry->d_name[0] != '.')
			status = add_folder(folder, entry->d_name, out, count);
	closedir(all);
	return status;
}

enum status lab_read_all(const char *folder, struct lab ***out, int *count)
{
	char *path = folder ? xstrdup(folder) : datadir_labs();
	enum status status;

	*out = NULL;
	*count = 0;
	status = read_folder(path, out, count);
	if (status != STATUS_OK) {
		for (int i = 0; i < *count; i++)
			lab_free((*out)[i]);
		free(*out);
		*out = NULL;
		*count = 0;
	} else if (*count > 0) {
		qsort(*out, (size_t)*count, sizeof **out, by_number);
	}
	free(path);
	return status;
}

enum status lab_find(const char *folder, int number, struct lab **out)
{
	struct lab **all;
	int count;

	*out = NULL;
	TRY(lab_read_all(folder, &all, &count));
	for (int i = 0; i < count; i++)
		if (!*out && all[i]->number == number)
			*out = all[i];
		else
			lab_free(all[i]);
	free(all);
	return *out ? STATUS_OK
		: fail(STATUS_USAGE, "there is no lab %d: see flashtwin lab list", number);
}
