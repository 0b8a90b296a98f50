/* program_replay.c - the sources of a recorded program as files, compiled; see program_replay.h.
 *
 * Includes find each other by relative names and by folders of -I, which may lead up ("../common")
 * or be absolute. So the working folder that the program was recorded in becomes a deep one, from
 * which names may lead up, and absolute names get a root of their own; nothing leads outside.
 */
#include "config.h"

#include "tui/launch/program_replay.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tui/launch/program.h"
#include "tui/launch/program_state.h"
#include "tui/launch/recorded_flags.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_headers.h"
#include "tui/launch/user_kernel.h"

#define DEEP "work/d/d/d/d/d/d/d/d"
#define DEEP_FOLDERS 8
#define ROOT "root"

struct program_replay {
	char *directory;
	char *deep, *root;              /* its folders, each with a slash */
	struct name_change changes[3];
	char **files;                   /* the .cu files, NULL-terminated */
	int file_count;
	struct recorded_flags flags;
	struct program *program;
};

/* --- names --- */

/* Appends the parts of `name` to the folder `to`, in place of "..". False: it would lead out. */
static bool append_parts(char **to, const char *name, int depth)
{
	while (*name) {
		size_t length = strcspn(name, "/");
		bool up = length == 2 && strncmp(name, "..", 2) == 0;
		char *next;

		if (up && depth-- == 0)
			return false;
		if (up) {
			*strrchr(*to, '/') = '\0';
		} else if (length > 0 && !(length == 1 && *name == '.')) {
			next = xasprintf("%s/%.*s", *to, (int)length, name);
			free(*to);
			*to = next;
			depth++;
		}
		name += length + (name[length] == '/');
	}
	return true;
}

/* Where a recorded name is below the directory; NULL if it leads out of it. The caller frees it. */
static char *place_of(const char *name)
{
	bool absolute = *name == '/';
	char *place = xstrdup(absolute ? ROOT : DEEP);

	if (append_parts(&place, name, absolute ? 0 : DEEP_FOLDERS))
		return place;
	free(place);
	return NULL;
}

/* --- sources --- */

/* Creates the folders of `path` below the directory. */
static void make_folders(const struct program_replay *p, const char *path)
{
	const char *slash = path + strlen(p->directory);

	while ((slash = strchr(slash + 1, '/'))) {
		char *folder = xasprintf("%.*s", (int)(slash - path), path);

		mkdir(folder, 0700);    /* it exists, or writing the file will fail */
		free(folder);
	}
}

/* A name that leads elsewhere is skipped. */
static enum status write_source(const struct program_replay *p, const char *name, const char *text)
{
	char *place = place_of(name), *path;
	struct output output;
	enum status status;

	if (!place)
		return STATUS_OK;
	path = xasprintf("%s/%s", p->directory, place);
	make_folders(p, path);
	status = output_open(path, &output);
	if (status == STATUS_OK) {
		fputs(text, output.file);
		status = output_commit(&output);
	}
	free(path);
	free(place);
	return status;
}

static void add_file(struct program_replay *p, const char *name)
{
	char *place = place_of(name);

	if (!place)
		return;
	p->files = xreallocarray(p->files, (size_t)p->file_count + 2, sizeof *p->files);
	p->files[p->file_count++] = xasprintf("%s/%s", p->directory, place);
	p->files[p->file_count] = NULL;
	free(place);
}

static bool is_listed(const json_t *files, const char *name)
{
	for (size_t i = 0; i < json_array_size(files); i++) {
		const char *file = json_string_value(json_array_get(files, i));

		if (file && strcmp(file, name) == 0)
			return true;
	}
	return false;
}

/* `cu`: collects the .cu files that were found. Those of kernels that only device code launches are
 * among the sources of other kernels. */
static enum status write_row(const struct program_replay *p, sqlite3_stmt *row, json_t *cu)
{
	const char *name = (const char *)sqlite3_column_text(row, 0);
	const char *text = (const char *)sqlite3_column_text(row, 1);

	if (!name || !text)
		return fail(STATUS_DAMAGED, "a source of the program has no text");
	if (program_kind(name) == KIND_CUDA)
		json_array_append_new(cu, json_string(name));
	return write_source(p, name, text);
}

static enum status write_sources(struct program_replay *p, struct store *trace, int64_t run,
				 const json_t *listed)
{
	json_t *cu = json_array();
	sqlite3_stmt *rows = NULL;
	enum status status = STATUS_OK;
	int code;

	if (sqlite3_prepare_v2(store_db(trace), "SELECT file, source FROM v_source"
			       " WHERE run = ?1 GROUP BY file, source", -1, &rows, NULL)
	    != SQLITE_OK) {
		json_decref(cu);
		return store_read_failed(trace);
	}
	sqlite3_bind_int64(rows, 1, run);
	while (status == STATUS_OK && (code = sqlite3_step(rows)) == SQLITE_ROW)
		status = write_row(p, rows, cu);
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(trace);
	sqlite3_finalize(rows);
	/* In the order of the command, in which names are told apart. */
	for (size_t i = 0; i < json_array_size(listed); i++) {
		const char *file = json_string_value(json_array_get(listed, i));

		if (file && is_listed(cu, file))
			add_file(p, file);
	}
	json_decref(cu);
	return status;
}

/* --- flags --- */

/* The recorded flags with folders in the new place, and the standard as one of them. */
static json_t *moved_flags(const json_t *options)
{
	const json_t *flags = json_object_get(options, "flags");
	const char *standard = json_string_value(json_object_get(options, "standard"));
	json_t *moved = json_array();
	bool folder = false;

	for (size_t i = 0; i < json_array_size(flags); i++) {
		const char *flag = json_string_value(json_array_get(flags, i));
		char *place = folder && flag ? place_of(flag) : NULL;

		json_array_append_new(moved, place ? json_string(place)
				      : flag ? json_string(flag) : json_null());
		folder = !folder && flag && strcmp(flag, "-I") == 0;
		free(place);
	}
	if (standard) {
		char *flag = xasprintf("-std=%s", standard);

		json_array_append_new(moved, json_string(flag));
		free(flag);
	}
	return moved;
}

static enum status take_flags(struct program_replay *p, const json_t *options, bool cuda)
{
	json_t *moved = moved_flags(options);
	enum status status = recorded_flags_take(moved, "", p->directory, cuda, &p->flags);

	json_decref(moved);
	return status;
}

/* --- compiling --- */

static enum status compile(struct program_replay *p, const json_t *options,
			   const struct user_source *how)
{
	static const char *const none[] = { NULL };
	const struct program_source source = {
		.files = (const char *const *)p->files,
		.flags = (const char *const *)p->flags.list, .libraries = none,
		/* Checked: it is among the flags too. */
		.standard = json_string_value(json_object_get(options, "standard")),
		.sandbox = how->sandbox, .check = how->check, .steps = how->steps,
		.points = how->points, .cuda = how->cuda, .changes = p->changes,
	};

	return program_build_kernels(&source, &p->program);
}

static enum status begin(struct program_replay *p, const struct user_source *how)
{
	TRY(file_make_folder(how->sandbox->scratch, "source", &p->directory));
	p->deep = xasprintf("%s/" DEEP "/", p->directory);
	p->root = xasprintf("%s/" ROOT "/", p->directory);
	p->changes[0] = (struct name_change){ p->deep, "" };
	p->changes[1] = (struct name_change){ p->root, "/" };
	return STATUS_OK;
}

enum status program_replay_prepare(struct store *trace, int64_t run, const json_t *options,
				   const struct user_source *how, struct program_replay **out)
{
	struct program_replay *p = *out = xcalloc(1, sizeof *p);

	TRY(begin(p, how));
	TRY(write_sources(p, trace, run, json_object_get(options, "files")));
	TRY(take_flags(p, options, how->cuda));
	for (int i = 0; how->cuda && i < p->file_count; i++)
		if (!recorded_name_plain(p->files[i]))
			return fail(STATUS_DAMAGED, "the name of the source, %s, has characters"
				    " that a shell interprets", p->files[i]);
	/* A program that launched nothing has no sources. */
	return p->file_count ? compile(p, options, how) : STATUS_OK;
}

enum status program_replay_load(struct program_replay *p)
{
	return p->program ? program_load_kernels(p->program) : STATUS_OK;
}

void program_replay_free(struct program_replay *p)
{
	if (!p)
		return;
	program_free(p->program);
	for (int i = 0; i < p->file_count; i++)
		free(p->files[i]);
	free(p->files);
	recorded_flags_free(&p->flags);
	free(p->directory);
	free(p->deep);
	free(p->root);
	free(p);
}
