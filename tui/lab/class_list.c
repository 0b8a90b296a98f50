/* class_list.c - finds the submissions of a class; see class_list.h.
 *
 * A student's folder may hold anything: only regular files are taken, and no link is followed,
 * which could lead to another student's work.
 */
#include "config.h"

#include "tui/lab/class_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/visible.h"
#include "base/xalloc.h"

#define MAX_FILE ((size_t)4 << 20)
#define MAX_ID 200                      /* bytes: OUT/ID.json.tmp.PID must be a file name */

/* --- a student's file --- */

static bool is_file(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= MAX_FILE;
}

static bool same_ending(const char *name, const char *other)
{
	const char *a = strrchr(name, '.'), *b = strrchr(other, '.');

	return a && b && strcmp(a, b) == 0 && *name != '.';
}

/* The only file with the ending of the lab's; the caller frees it. NULL if there is none, or more
 * than one. */
static char *find_lone(const char *folder, const char *wanted)
{
	DIR *all = opendir(folder);
	char *found = NULL;
	struct dirent *entry;
	int count = 0;

	while (all && (entry = readdir(all))) {
		char *path;

		if (!same_ending(entry->d_name, wanted))
			continue;
		path = xasprintf("%s/%s", folder, entry->d_name);
		if (is_file(path) && count++ == 0)
			found = path;
		else
			free(path);
	}
	if (all)
		closedir(all);
	if (count == 1)
		return found;
	free(found);
	return NULL;
}

static void find_file(const struct lab *lab, const char *folder, struct class_student *s)
{
	s->file = xasprintf("%s/%s", folder, lab->file);
	if (is_file(s->file))
		return;
	free(s->file);
	s->file = find_lone(folder, lab->file);
	s->why = s->file ? NULL : "there is neither the lab's file nor one file that ends like it";
}

/* --- what a result depends on --- */

static void add_file(XXH64_state_t *state, const char *path)
{
	char *bytes = NULL;
	size_t count = 0;

	if (path && file_read(path, MAX_FILE, &bytes, &count) == STATUS_OK)
		XXH64_update(state, bytes, count);
	else
		error_clear();
	XXH64_update(state, &count, sizeof count);
	free(bytes);
}

static void hash_input(const struct lab *lab, const struct class_options *o,
		       struct class_student *s)
{
	XXH64_state_t *state = XXH64_createState();
	char *json = xasprintf("%s/lab.json", lab->folder);
	const char how[] = { o->secret_file != NULL, o->gpu };

	xcheck(state);
	XXH64_reset(state, 0);
	XXH64_update(state, PACKAGE_VERSION, sizeof PACKAGE_VERSION);
	XXH64_update(state, how, sizeof how);
	add_file(state, json);
	add_file(state, s->file);
	snprintf(s->input, sizeof s->input, "%016llx", (unsigned long long)XXH64_digest(state));
	XXH64_freeState(state);
	free(json);
}

/* --- the list --- */

static bool in_share(const struct class_options *o, const char *id)
{
	return !o->shares
		|| XXH64(id, strlen(id), 0) % (uint64_t)o->shares == (uint64_t)o->share - 1;
}

static enum status check_id(const char *folder, const char *id)
{
	char *shown = visible_text(id);
	enum status status = STATUS_OK;

	if (strcmp(shown, id) != 0)
		status = fail(STATUS_USAGE, "%s/%s: a student's id must be printable UTF-8: rename "
			      "the folder", folder, shown);
	else if (strlen(id) > MAX_ID)
		status = fail(STATUS_USAGE, "%s/%s: an id has at most %d bytes: rename the folder",
			      folder, shown, MAX_ID);
	free(shown);
	return status;
}

static enum status add(const struct lab *lab, const struct class_options *o, const char *id,
		       struct class_list *list)
{
	char *folder = xasprintf("%s/%s", o->submissions, id);
	struct class_student s = { 0 };
	struct stat st;
	bool taken = lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && in_share(o, id);
	enum status status = taken ? check_id(o->submissions, id) : STATUS_OK;

	if (taken && status == STATUS_OK) {
		s.id = xstrdup(id);
		find_file(lab, folder, &s);
		hash_input(lab, o, &s);
		list->students = xreallocarray(list->students, (size_t)list->count + 1, sizeof s);
		list->students[list->count++] = s;
	}
	free(folder);
	return status;
}

static int by_id(const void *a, const void *b)
{
	const struct class_student *first = a, *second = b;

	return strcmp(first->id, second->id);
}

enum status class_list_read(const struct lab *lab, const struct class_options *o,
			    struct class_list *out)
{
	DIR *all = opendir(o->submissions);
	enum status status = STATUS_OK;
	struct dirent *entry;

	*out = (struct class_list){ 0 };
	if (!all)
		return fail(STATUS_IO, "--submissions %s: %s", o->submissions, strerror(errno));
	while (status == STATUS_OK && (entry = readdir(all)))
		if (*entry->d_name != '.')
			status = add(lab, o, entry->d_name, out);
	closedir(all);
	if (status == STATUS_OK && out->count == 0 && !o->shares)
		status = fail(STATUS_USAGE, "--submissions %s: there is no folder in it",
			      o->submissions);
	if (out->count > 0)
		qsort(out->students, (size_t)out->count, sizeof *out->students, by_id);
	return status;
}

void class_list_free(struct class_list *list)
{
	for (int i = 0; i < list->count; i++) {
		free(list->students[i].id);
		free(list->students[i].file);
	}
	free(list->students);
	*list = (struct class_list){ 0 };
}
