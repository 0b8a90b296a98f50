/* compile_folder.c - finds and trims the folder of kept files; see compile_folder.h. */
#include "config.h"

#include "tui/launch/compile_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/user_folder.h"
#include "base/xalloc.h"

/* FLASHTWIN_CACHE=no: a benchmark, or a test of compilers. */
static bool switched_off(void)
{
	const char *chosen = getenv("FLASHTWIN_CACHE");

	return chosen && strcmp(chosen, "no") == 0;
}

bool compile_folder_find(char **out)
{
	char *user;
	bool there;

	if (switched_off() || user_folder_make(USER_FOLDER_CACHE, &user) != STATUS_OK)
		return false;
	*out = xasprintf("%s/objects", user);
	free(user);
	there = mkdir(*out, 0700) == 0 || errno == EEXIST;
	if (!there)
		free(*out);
	return there;
}

struct kept {
	char *path;
	int64_t bytes, used_ns;
};

static int by_use(const void *a, const void *b)
{
	int64_t x = ((const struct kept *)a)->used_ns, y = ((const struct kept *)b)->used_ns;

	return (x > y) - (x < y);
}

static struct kept *list_files(const char *folder, size_t *count)
{
	DIR *entries = opendir(folder);
	struct kept *list = NULL;
	struct dirent *entry;

	*count = 0;
	while (entries && (entry = readdir(entries)) != NULL) {
		struct stat st;
		char *path;

		if (fstatat(dirfd(entries), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0
		    || !S_ISREG(st.st_mode))
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		list = xreallocarray(list, *count + 1, sizeof *list);
		list[(*count)++] = (struct kept){
			path, st.st_size, st.st_mtim.tv_sec * INT64_C(1000000000)
				+ st.st_mtim.tv_nsec,
		};
	}
	if (entries)
		closedir(entries);
	return list;
}

void compile_folder_trim(int64_t bytes)
{
	struct kept *list;
	int64_t total = 0;
	size_t count;
	char *folder;

	if (!compile_folder_find(&folder))
		return;
	list = list_files(folder, &count);
	for (size_t i = 0; i < count; i++)
		total += list[i].bytes;
	if (total > bytes)
		qsort(list, count, sizeof *list, by_use);
	for (size_t i = 0; i < count; i++) {
		if (total > bytes && unlink(list[i].path) == 0)
			total -= list[i].bytes;
		free(list[i].path);
	}
	free(list);
	free(folder);
}
