/* compile_cache.c - copies outputs of compilers from and to a folder; see compile_cache.h. */
#include "config.h"

#include "tui/launch/compile_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "tui/launch/compile_kept.h"
#include "tui/launch/programs.h"
#include "tui/launch/sandbox.h"

/* Line markers of a text may name files in the folder. */
static bool hash_file(XXH3_state_t *hash, const char *path, const char *folder)
{
	char *bytes;
	size_t count;

	if (file_read(path, SIZE_MAX / 2, &bytes, &count) != STATUS_OK)
		return false;
	kept_add_but(hash, bytes, count, folder);
	free(bytes);
	return true;
}

static bool hash_step(XXH3_state_t *hash, const struct compile_step *step)
{
	char *folder;
	bool read;

	XXH3_128bits_reset(hash);
	if (!kept_add_folder(hash))
		return false;
	folder = kept_folder_of(step);
	kept_add_command(hash, step, folder);
	read = hash_file(hash, step->in, folder);
	for (const char *const *more = step->more; read && more && *more; more++)
		read = hash_file(hash, *more, folder);
	free(folder);
	return read;
}

/* The path of the step's kept file; NULL: it cannot be kept. The caller frees it. */
static char *path_of(const struct compile_step *step)
{
	XXH3_state_t *hash = xcheck(XXH3_createState());
	char *path = hash_step(hash, step) ? kept_path(hash) : NULL;

	XXH3_freeState(hash);
	error_clear();
	return path;
}

/* --- a step --- */

/* Prints what the compiler printed; false if that is nothing. */
static bool print_errors(const char *path)
{
	char *text;
	size_t bytes;

	if (file_read(path, (size_t)64 << 20, &text, &bytes) != STATUS_OK)
		return true;
	fwrite(text, 1, bytes, stderr);
	free(text);
	return bytes > 0;
}

enum status compile_step_run(const struct compile_step *step, bool *printed)
{
	char *errors = xasprintf("%s.errors", step->out);
	enum status status = program_run_into(step->args, step->file, step->sandbox, errors);
	struct error_record error;

	error_save(&error);
	*printed = (step->quiet && status != STATUS_OK) || print_errors(errors);
	error_restore(&error);
	free(errors);
	return status;
}

/* Copies a kept file to `out`; false if there is none, or it is damaged. */
static bool take(const char *path, const char *out)
{
	size_t count;
	char *bytes;
	bool taken = kept_read(path, &bytes, &count) && kept_copy(out, bytes, count);

	if (taken)
		kept_touch(path);
	free(bytes);
	return taken;
}

static void keep(const char *path, const char *out)
{
	size_t count;
	char *bytes;

	if (file_read(out, KEPT_BYTES, &bytes, &count) == STATUS_OK) {
		kept_write(path, bytes, count);
		free(bytes);
	}
	error_clear();
}

enum status compile_cached(const struct compile_step *step)
{
	char *path = path_of(step);
	enum status status = STATUS_OK;
	bool printed;

	if (!path || !take(path, step->out)) {
		status = compile_step_run(step, &printed);
		if (path && status == STATUS_OK && !printed)
			keep(path, step->out);
	}
	free(path);
	return status;
}
