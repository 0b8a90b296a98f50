/* compile_cache.c - copies outputs of compilers from and to a folder; see compile_cache.h.
 *
 * A kept file is named by the hash of all that determines it, and ends with the hash of what comes
 * before. It is renamed into place when complete, so that programs that run at the same time see
 * whole files only.
 */
#include "config.h"

#include "tui/launch/compile_cache.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "base/output.h"
#include "base/user_folder.h"
#include "base/xalloc.h"
#include "tui/launch/compile_folder.h"
#include "tui/launch/programs.h"
#include "tui/launch/sandbox.h"

/* --- what identifies a step --- */

static void add_bytes(XXH3_state_t *hash, const void *bytes, size_t count)
{
	uint64_t length = count;

	XXH3_128bits_update(hash, &length, sizeof length);
	XXH3_128bits_update(hash, bytes, count);
}

static void add_text(XXH3_state_t *hash, const char *text)
{
	add_bytes(hash, text, strlen(text));
}

/* The folder of temporary files, which has another name in each run, with a slash. The caller frees
 * it. */
static char *folder_of(const struct compile_step *step)
{
	return xasprintf("%.*s/", (int)(strrchr(step->out, '/') - step->out), step->out);
}

/* Bytes without the folder's name, wherever it is in them. */
static void add_but(XXH3_state_t *hash, const char *bytes, size_t count, const char *folder)
{
	size_t length = strlen(folder);
	const char *end = bytes + count, *at;

	while ((at = memmem(bytes, (size_t)(end - bytes), folder, length)) != NULL) {
		add_bytes(hash, bytes, (size_t)(at - bytes));
		bytes = at + length;
	}
	add_bytes(hash, bytes, (size_t)(end - bytes));
}

static void add_arg(XXH3_state_t *hash, const struct compile_step *step, const char *folder,
		    const char *arg)
{
	if (strcmp(arg, step->in) == 0)
		add_text(hash, "in");
	else if (strcmp(arg, step->out) == 0)
		add_text(hash, "out");
	else
		add_but(hash, arg, strlen(arg), folder);
}

/* Another version of a compiler has another size or date. `name` may be that of a wrapper such as
 * ccache, whose first argument is the compiler. */
static void add_program(XXH3_state_t *hash, const char *name)
{
	char *path = program_find(name);
	struct stat st;

	if (path && stat(path, &st) == 0) {
		const int64_t identity[] = {
			st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (int64_t)st.st_ino,
		};

		add_text(hash, path);
		add_bytes(hash, identity, sizeof identity);
	}
	free(path);
}

/* Debug information names the working folder. */
static bool add_folder(XXH3_state_t *hash)
{
	char *folder = getcwd(NULL, 0);

	if (folder)
		add_text(hash, folder);
	free(folder);
	return folder;
}

static void add_command(XXH3_state_t *hash, const struct compile_step *step, const char *folder)
{
	const struct arg_list *args = step->args;

	add_text(hash, PACKAGE_VERSION);
	add_program(hash, args->at[0]);
	if (args->count > 1 && args->at[1][0] != '-')
		add_program(hash, args->at[1]);
	for (int i = 0; i < args->count; i++)
		add_arg(hash, step, folder, args->at[i]);
}

/* Line markers of the text may name files in the folder. */
static bool hash_step(XXH3_state_t *hash, const struct compile_step *step)
{
	char *text, *folder;
	size_t bytes;

	XXH3_128bits_reset(hash);
	if (!add_folder(hash) || file_read(step->in, SIZE_MAX / 2, &text, &bytes) != STATUS_OK)
		return false;
	folder = folder_of(step);
	add_command(hash, step, folder);
	add_but(hash, text, bytes, folder);
	free(folder);
	free(text);
	return true;
}

/* The path of the step's kept file; NULL: it cannot be kept. The caller frees it. */
static char *path_of(const struct compile_step *step)
{
	XXH3_state_t *hash = xcheck(XXH3_createState());
	char *folder, *path = NULL;

	if (hash_step(hash, step) && compile_folder_find(&folder)) {
		XXH128_hash_t key = XXH3_128bits_digest(hash);

		path = xasprintf("%s/%016llx%016llx", folder, (unsigned long long)key.high64,
				 (unsigned long long)key.low64);
		free(folder);
	}
	XXH3_freeState(hash);
	error_clear();
	return path;
}

/* --- kept files --- */

static bool write_file(const char *path, const char *bytes, size_t count,
		       const XXH128_canonical_t *hash)
{
	struct output out;

	if (output_open(path, &out) != STATUS_OK)
		return false;
	out.expendable = true;
	fchmod(fileno(out.file), 0600);
	fwrite(bytes, 1, count, out.file);
	if (hash)
		fwrite(hash, 1, sizeof *hash, out.file);
	return output_commit(&out) == STATUS_OK;
}

static XXH128_canonical_t hash_of(const char *bytes, size_t count)
{
	XXH128_canonical_t hash;

	XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes, count));
	return hash;
}

/* Copies a kept file to `out`; false if there is none, or it is damaged. */
static bool take(const char *path, const char *out)
{
	XXH128_canonical_t hash;
	char *bytes = NULL;
	size_t count = 0;
	bool taken = access(path, R_OK) == 0
		&& file_read(path, (size_t)COMPILE_CACHE_BYTES, &bytes, &count) == STATUS_OK
		&& count > sizeof hash;

	if (taken) {
		count -= sizeof hash;
		hash = hash_of(bytes, count);
		taken = memcmp(&hash, bytes + count, sizeof hash) == 0
			&& write_file(out, bytes, count, NULL);
	}
	if (taken)
		utimensat(AT_FDCWD, path, NULL, 0);     /* used last now */
	free(bytes);
	error_clear();
	return taken;
}

static void keep(const char *path, const char *out)
{
	XXH128_canonical_t hash;
	char *bytes;
	size_t count;

	if (file_read(out, (size_t)COMPILE_CACHE_BYTES / 8, &bytes, &count) == STATUS_OK) {
		hash = hash_of(bytes, count);
		if (write_file(path, bytes, count, &hash))
			compile_folder_trim(COMPILE_CACHE_BYTES);
		free(bytes);
	}
	error_clear();
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

static enum status run(const struct compile_step *step, bool *printed)
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

enum status compile_cached(const struct compile_step *step)
{
	char *path = path_of(step);
	enum status status = STATUS_OK;
	bool printed;

	if (!path || !take(path, step->out)) {
		status = run(step, &printed);
		if (path && status == STATUS_OK && !printed)
			keep(path, step->out);
	}
	free(path);
	return status;
}
