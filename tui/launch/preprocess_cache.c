/* preprocess_cache.c - takes preprocessed text if nothing that it was made from changed; see
 * preprocess_cache.h.
 *
 * The text's line markers name the files. A fingerprint of them stands before the kept text, and is
 * computed again from that text: the user's files count by their bytes, those of the system by size
 * and date. It also has each file of a search folder that has the name, or the end of the path, of
 * one that was included, because such a file may be found instead of it.
 */
#include "config.h"

#include "tui/launch/preprocess_cache.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "tui/launch/compile_kept.h"
#include "tui/launch/programs.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_headers.h"

struct list {
	char **at;
	size_t count;
};

static void list_add(struct list *list, char *text)
{
	list->at = xreallocarray(list->at, list->count + 1, sizeof *list->at);
	list->at[list->count++] = text;
}

static void list_free(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i]);
	free(list->at);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_sort(struct list *list)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->at, list->count, sizeof *list->at, by_text);
	for (size_t i = 0; i < list->count; i++)
		if (kept > 0 && strcmp(list->at[kept - 1], list->at[i]) == 0)
			free(list->at[i]);
		else
			list->at[kept++] = list->at[i];
	list->count = kept;
}

/* The files that a text was made from: the user's, and those of the system. */
struct origins {
	const struct compile_step *step;
	const struct timespec *began;   /* when the compiler did; NULL: it does not run */
	XXH3_state_t *hash;
	char *folder;                   /* of temporary files, which we write before */
	struct list own, system;
};

/* Whether the compiler may have read the file as it was before, or not have seen it. A file that is
 * renamed keeps the date of its bytes, so that of its state counts. */
static bool changed_since(const struct origins *o, const struct stat *st)
{
	const struct timespec *at = &st->st_ctim, *began = o->began;

	return began && (at->tv_sec > began->tv_sec
			 || (at->tv_sec == began->tv_sec && at->tv_nsec >= began->tv_nsec));
}

/* --- files that were read --- */

/* A marker where a file begins: `# 1 "name" 1`, and 3 for one of the system. False: its name has an
 * escape. */
static bool add_marker(struct origins *o, const char *line, const char *end)
{
	const char *open = memchr(line, '"', (size_t)(end - line));
	const char *close = open ? memrchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;

	if (!close || close + 2 >= end || close[2] != '1' || open[1] == '<')
		return true;
	if (memchr(open, '\\', (size_t)(close - open)))
		return false;
	list_add(memchr(close, '3', (size_t)(end - close)) ? &o->system : &o->own,
		 xasprintf("%.*s", (int)(close - open - 1), open + 1));
	return true;
}

static bool find_files(struct origins *o, const char *text)
{
	const char *end;

	for (const char *line = text; (end = strchr(line, '\n')); line = end + 1)
		if (line[0] == '#' && line[1] == ' ' && !add_marker(o, line, end))
			return false;
	list_add(&o->own, xstrdup(o->step->in));
	list_sort(&o->own);
	list_sort(&o->system);
	return true;
}

/* What depends on more than the files that the text has. */
static bool is_variable(const char *text)
{
	static const char *const words[] = {
		"__has_include", "__DATE__", "__TIME__", "__TIMESTAMP__", "embed",
	};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

/* False: the sandbox does not show the file, or it is one of those above. */
static bool add_own(const struct origins *o, const char *name)
{
	char *text;
	size_t bytes;
	bool added;

	if (!sandbox_sees(o->step->sandbox, name)
	    || file_read(name, KEPT_BYTES, &text, &bytes) != STATUS_OK)
		return false;
	added = strlen(text) == bytes && !is_variable(text);
	kept_add_but(o->hash, name, strlen(name), o->folder);
	kept_add_but(o->hash, text, bytes, o->folder);
	free(text);
	return added;
}

static bool add_system(const struct origins *o, const char *name)
{
	struct stat st;

	if (stat(name, &st) != 0 || changed_since(o, &st))
		return false;
	kept_add_text(o->hash, name);
	kept_add_identity(o->hash, &st);
	return true;
}

/* --- files that would be found instead --- */

static struct list names_in(const char *folder)
{
	DIR *entries = opendir(folder);
	struct list names = { 0 };
	struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL)
		list_add(&names, xstrdup(entry->d_name));
	if (entries)
		closedir(entries);
	list_sort(&names);
	return names;
}

static bool has_name(const struct list *names, const char *path)
{
	char *name = xasprintf("%.*s", (int)strcspn(path, "/"), path);
	bool found = names->count > 0
		&& bsearch(&name, names->at, names->count, sizeof name, by_text);

	free(name);
	return found;
}

static bool is_temporary(const struct origins *o, const char *file)
{
	return strncmp(file, o->folder, strlen(o->folder)) == 0;
}

/* Every end of the path, "a/b/c.h", "b/c.h" and "c.h", that is a file in the folder: the user's own
 * too, whose folders are among them. False: one changed while the compiler read. */
static bool add_ends(const struct origins *o, const char *folder, const struct list *names,
		     const char *path)
{
	bool same = true;

	for (const char *end = path; end; end = strchr(end, '/')) {
		struct stat st;
		char *other;

		end += strspn(end, "/");
		if (!has_name(names, end))
			continue;
		other = xasprintf("%s/%s", folder, end);
		if (stat(other, &st) == 0) {
			kept_add_but(o->hash, other, strlen(other), o->folder);
			same &= is_temporary(o, other) || !changed_since(o, &st);
		}
		free(other);
	}
	return same;
}

static bool add_others(const struct origins *o, const char *folder)
{
	struct list names = names_in(folder);
	bool same = true;

	for (size_t i = 0; i < o->own.count; i++)       /* temporary files are named in full */
		if (!is_temporary(o, o->own.at[i]))
			same &= add_ends(o, folder, &names, o->own.at[i]);
	for (size_t i = 0; i < o->system.count; i++)
		same &= add_ends(o, folder, &names, o->system.at[i]);
	list_free(&names);
	return same;
}

static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? xasprintf("%.*s", (int)(slash - file) + (slash == file), file)
		: xstrdup(".");
}

/* The folders in which the compiler looks. */
static struct list search_folders(const struct origins *o)
{
	const struct arg_list *args = o->step->args;
	struct list folders = { 0 };

	list_add(&folders, xstrdup("."));
	list_add(&folders, xstrdup("/usr/local/include"));
	for (size_t i = 0; i < o->own.count; i++)
		list_add(&folders, folder_of(o->own.at[i]));
	for (int i = 0; i < args->count; i++)
		if (strncmp(args->at[i], "-I", 2) == 0 && args->at[i][2])
			list_add(&folders, xstrdup(args->at[i] + 2));
		else if (args->at[i][0] == '-' && args->at[i][1] == 'i' && i + 1 < args->count)
			list_add(&folders, xstrdup(args->at[i + 1]));
		else if (strcmp(args->at[i], "-I") == 0 && i + 1 < args->count)
			list_add(&folders, xstrdup(args->at[i + 1]));
	list_sort(&folders);
	return folders;
}

/* --- a step --- */

static bool add_origins(struct origins *o, const char *text)
{
	struct list folders;
	bool same = true;

	if (!find_files(o, text))
		return false;
	for (size_t i = 0; i < o->own.count; i++)
		if (!add_own(o, o->own.at[i]))
			return false;
	for (size_t i = 0; i < o->system.count; i++)
		if (!add_system(o, o->system.at[i]))
			return false;
	folders = search_folders(o);
	for (size_t i = 0; i < folders.count; i++)
		same &= add_others(o, folders.at[i]);
	list_free(&folders);
	return same;
}

/* The fingerprint of what the text was made from; false if the text cannot be kept. `began` is when
 * the compiler did, or NULL. */
static bool fingerprint(const struct compile_step *step, const char *text,
			const struct timespec *began, XXH128_hash_t *out)
{
	struct origins o = {
		.step = step, .began = began, .hash = xcheck(XXH3_createState()),
		.folder = kept_folder_of(step),
	};
	bool made;

	XXH3_128bits_reset(o.hash);
	made = add_origins(&o, text);
	*out = XXH3_128bits_digest(o.hash);
	error_clear();
	XXH3_freeState(o.hash);
	list_free(&o.own);
	list_free(&o.system);
	free(o.folder);
	return made;
}

/* Whether variables change where the compiler looks, or arguments have what varies. */
static bool is_directed(const struct arg_list *args)
{
	static const char *const names[] = {
		"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (getenv(names[i]))
			return true;
	for (int i = 0; i < args->count; i++)
		if (is_variable(args->at[i]))
			return true;
	return false;
}

/* NULL: nothing is kept. The caller frees it. */
static char *path_of(const struct compile_step *step)
{
	const struct sandbox *s = step->sandbox;
	XXH3_state_t *hash;
	char *folder, *path = NULL;

	if (is_directed(step->args) || s->hidden_count > 0)
		return NULL;
	hash = xcheck(XXH3_createState());
	XXH3_128bits_reset(hash);
	kept_add_text(hash, s->holder >= 0 ? "preprocess in a sandbox" : "preprocess");
	folder = kept_folder_of(step);
	if (kept_add_folder(hash)) {
		kept_add_text(hash, step->in);
		kept_add_command(hash, step, folder);
		path = kept_path(hash);
	}
	free(folder);
	XXH3_freeState(hash);
	error_clear();
	return path;
}

/* The head of a kept text is the fingerprint. */
static bool take(const struct compile_step *step, const char *path)
{
	char *folder = kept_folder_of(step), *text;
	XXH128_hash_t kept, now;
	bool taken;

	text = kept_read_text(path, folder, &kept, sizeof kept);
	taken = text && fingerprint(step, text, NULL, &now) && XXH128_isEqual(kept, now)
		&& kept_copy(step->out, text, strlen(text));
	if (taken)
		kept_touch(path);
	free(text);
	free(folder);
	return taken;
}

static void keep(const struct compile_step *step, const char *path, const struct timespec *began)
{
	XXH128_hash_t hash;
	size_t count;
	char *text, *folder;

	if (file_read(step->out, KEPT_BYTES, &text, &count) == STATUS_OK) {
		folder = kept_folder_of(step);
		if (strlen(text) == count && fingerprint(step, text, began, &hash))
			kept_write_text(path, folder, &hash, sizeof hash, text);
		free(folder);
		free(text);
	}
	error_clear();
}

enum status preprocess_cached(const struct compile_step *step)
{
	struct timespec began;
	enum status status;
	bool printed;
	char *path;

	TRY(sandbox_start(step->sandbox));      /* it decides which files are seen */
	path = path_of(step);
	if (path && take(step, path)) {
		free(path);
		return STATUS_OK;
	}
	clock_gettime(CLOCK_REALTIME_COARSE, &began);   /* the clock of files' dates */
	status = compile_step_run(step, &printed);
	if (path && status == STATUS_OK && !printed)
		keep(step, path, &began);
	free(path);
	return status;
}
