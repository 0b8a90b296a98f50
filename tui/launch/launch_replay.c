/* launch_replay.c - writes the sources of a recorded launch into the sandbox's scratch folder and
 * compiles them; see launch_replay.h. Used by `flashtwin replay`. */
#include "tui/launch/launch_replay.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/launch/program_replay.h"
#include "tui/launch/recorded_flags.h"
#include "tui/launch/sandbox.h"
#include "tui/launch/user_kernel.h"

struct launch_replay {
	char *directory;                /* NULL before it is created */
	char *folder, *shown;           /* `directory` and the recorded folder, each with a slash */
	char *file;                     /* the .cu file there */
	json_t *options;                /* as recorded */
	struct recorded_flags flags;
	struct user_kernel *kernel;
	struct program_replay *program; /* of a run of `run`; NULL: one of `launch` */
};

/* Creates the folders of `path` below the directory. */
static void make_folders(const struct launch_replay *l, const char *path)
{
	const char *slash = path + strlen(l->directory);

	while ((slash = strchr(slash + 1, '/'))) {
		char *folder = xasprintf("%.*s", (int)(slash - path), path);

		mkdir(folder, 0700);    /* it exists, or writing the file will fail */
		free(folder);
	}
}

/* Writes a source under its name without the first `prefix` bytes, the .cu file's folder. A name
 * that leads elsewhere is skipped: a trace must not cause writes outside the directory. */
static enum status write_source(struct launch_replay *l, const char *name, size_t prefix,
				const char *text)
{
	struct output output;
	char *path;
	enum status status;

	name += prefix;
	if (*name == '\0' || !recorded_name_inside(name))
		return STATUS_OK;
	path = xasprintf("%s/%s", l->directory, name);
	make_folders(l, path);
	status = output_open(path, &output);
	if (status == STATUS_OK) {
		fputs(text, output.file);
		status = output_commit(&output);
	}
	if (!l->file)
		l->file = path;
	else
		free(path);
	return status;
}

static enum status write_row(struct launch_replay *l, sqlite3_stmt *row)
{
	const char *name = (const char *)sqlite3_column_text(row, 0);
	const char *text = (const char *)sqlite3_column_text(row, 1);
	const char *slash;
	size_t prefix;

	if (!name || !text)
		return fail(STATUS_DAMAGED, "a source of the launch has no text");
	if (!l->shown) {                /* the .cu file comes first */
		slash = strrchr(name, '/');
		l->shown = xasprintf("%.*s", slash ? (int)(slash - name + 1) : 0, name);
	}
	prefix = strlen(l->shown);
	return write_source(l, name, strncmp(name, l->shown, prefix) == 0 ? prefix : 0, text);
}

static enum status write_sources(struct launch_replay *l, struct store *trace, int64_t run,
				 const struct sandbox *sandbox)
{
	sqlite3_stmt *rows = NULL;
	enum status status = STATUS_OK;
	int code;

	TRY(file_make_folder(sandbox->scratch, "source", &l->directory));
	l->folder = xasprintf("%s/", l->directory);
	if (sqlite3_prepare_v2(store_db(trace), "SELECT file, source FROM v_source WHERE run = ?1"
			       " ORDER BY entry", -1, &rows, NULL) != SQLITE_OK)
		return store_read_failed(trace);
	sqlite3_bind_int64(rows, 1, run);
	while (status == STATUS_OK && (code = sqlite3_step(rows)) == SQLITE_ROW)
		status = write_row(l, rows);
	if (status == STATUS_OK && code != SQLITE_DONE)
		status = store_read_failed(trace);
	sqlite3_finalize(rows);
	if (status == STATUS_OK && !l->file)
		status = fail(STATUS_DAMAGED, "%s: run %lld has no source", store_shown_path(trace),
			      (long long)run);
	return status;
}

static enum status compile(struct launch_replay *l, const struct user_source *how, bool points)
{
	struct user_source source = {
		.file = l->file, .folder = l->folder, .shown = l->shown, .cuda = how->cuda,
		.check = how->check, .steps = how->steps, .points = points,
		.sandbox = how->sandbox,
		.kernel = json_string_value(json_object_get(l->options, "kernel")),
	};

	if (!source.kernel)
		return fail(STATUS_DAMAGED, "the run's options do not name a kernel");
	if (how->cuda && !recorded_name_plain(l->file))
		return fail(STATUS_DAMAGED, "the name of the source, %s, has characters that a"
			    " shell interprets", l->file);
	TRY(recorded_flags_take(json_object_get(l->options, "flags"), l->shown, l->directory,
				how->cuda, &l->flags));
	source.flags = (const char *const *)l->flags.list;
	return user_kernel_build(&source, &l->kernel);
}

enum status launch_replay_needed(struct store *trace, int64_t run, bool *needed)
{
	struct store_run row;

	TRY(store_run_read(trace, run, &row));
	*needed = strcmp(row.command, "launch") == 0 || strcmp(row.command, "run") == 0;
	store_run_free(&row);
	return STATUS_OK;
}

enum status launch_replay_prepare(struct store *trace, int64_t run,
				  const struct user_source *how, struct launch_replay **out)
{
	struct launch_replay *l;
	struct store_run row;
	enum status status;
	bool points, program;

	*out = NULL;
	TRY(store_run_read(trace, run, &row));
	program = strcmp(row.command, "run") == 0;
	if (!program && strcmp(row.command, "launch") != 0) {
		store_run_free(&row);
		return STATUS_OK;
	}
	*out = l = xcalloc(1, sizeof *l);
	l->options = json_loads(row.options ? row.options : "", 0, NULL);
	points = row.level >= LEVEL_POINTS || how->points;
	store_run_free(&row);
	if (program) {
		struct user_source as = *how;

		as.points = points;
		return program_replay_prepare(trace, run, l->options, &as, &l->program);
	}
	status = write_sources(l, trace, run, how->sandbox);
	return status == STATUS_OK ? compile(l, how, points) : status;
}

bool launch_replay_is_program(const struct launch_replay *l)
{
	return l->program != NULL;
}

enum status launch_replay_load(struct launch_replay *l)
{
	const struct kernel *kernel;

	kernel_register(NULL);
	kernel_register_set(NULL);
	if (l->program)
		return program_replay_load(l->program);
	TRY(user_kernel_load(l->kernel, &kernel));
	kernel_register(kernel);
	return STATUS_OK;
}

void launch_replay_free(struct launch_replay *l)
{
	if (!l)
		return;
	kernel_register(NULL);
	user_kernel_free(l->kernel);
	program_replay_free(l->program);
	free(l->file);
	free(l->directory);
	free(l->folder);
	free(l->shown);
	recorded_flags_free(&l->flags);
	json_decref(l->options);
	free(l);
}
