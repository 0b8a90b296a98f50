/* compile_kept.c - the files that are kept for the next run; see compile_kept.h.
 *
 * A kept file is named by the hash of all that determines it, and ends with the hash of what comes
 * before. It is renamed into place when complete, so that programs that run at the same time see
 * whole files only.
 */
#include "config.h"

#include "tui/launch/compile_kept.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "base/xalloc.h"
#include "tui/launch/compile_cache.h"
#include "tui/launch/compile_folder.h"
#include "tui/launch/programs.h"
#include "tui/launch/user_headers.h"

/* --- what identifies a step --- */

static void add_bytes(XXH3_state_t *hash, const void *bytes, size_t count)
{
	uint64_t length = count;

	XXH3_128bits_update(hash, &length, sizeof length);
	XXH3_128bits_update(hash, bytes, count);
}

void kept_add_text(XXH3_state_t *hash, const char *text)
{
	add_bytes(hash, text, strlen(text));
}

char *kept_folder_of(const struct compile_step *step)
{
	return xasprintf("%.*s/", (int)(strrchr(step->out, '/') - step->out), step->out);
}

void kept_add_but(XXH3_state_t *hash, const char *bytes, size_t count, const char *folder)
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
		kept_add_text(hash, "in");
	else if (strcmp(arg, step->out) == 0)
		kept_add_text(hash, "out");
	else
		kept_add_but(hash, arg, strlen(arg), folder);
}

void kept_add_identity(XXH3_state_t *hash, const struct stat *st)
{
	const int64_t identity[] = {
		st->st_size, st->st_mtim.tv_sec, st->st_mtim.tv_nsec, (int64_t)st->st_ino,
	};

	add_bytes(hash, identity, sizeof identity);
}

/* Another version of a compiler has another size or date. `name` may be that of a wrapper such as
 * ccache, whose first argument is the compiler. */
static void add_program(XXH3_state_t *hash, const char *name)
{
	char *path = program_find(name);
	struct stat st;

	if (path && stat(path, &st) == 0) {
		kept_add_text(hash, path);
		kept_add_identity(hash, &st);
	}
	free(path);
}

bool kept_add_folder(XXH3_state_t *hash)
{
	char *folder = getcwd(NULL, 0);

	if (folder)
		kept_add_text(hash, folder);
	free(folder);
	return folder;
}

void kept_add_command(XXH3_state_t *hash, const struct compile_step *step, const char *folder)
{
	const struct arg_list *args = step->args;

	kept_add_text(hash, PACKAGE_VERSION);
	add_program(hash, args->at[0]);
	if (args->count > 1 && args->at[1][0] != '-')
		add_program(hash, args->at[1]);
	for (int i = 0; i < args->count; i++)
		add_arg(hash, step, folder, args->at[i]);
}

/* --- kept files --- */

char *kept_path(XXH3_state_t *hash)
{
	XXH128_hash_t key = XXH3_128bits_digest(hash);
	char *folder, *path;

	if (!compile_folder_find(&folder))
		return NULL;
	path = xasprintf("%s/%016llx%016llx", folder, (unsigned long long)key.high64,
			 (unsigned long long)key.low64);
	free(folder);
	return path;
}

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

bool kept_read(const char *path, char **bytes, size_t *count)
{
	XXH128_canonical_t hash;
	bool same = false;

	*bytes = NULL;
	if (access(path, R_OK) == 0
	    && file_read(path, (size_t)COMPILE_CACHE_BYTES, bytes, count) == STATUS_OK
	    && *count > sizeof hash) {
		*count -= sizeof hash;
		hash = hash_of(*bytes, *count);
		same = memcmp(&hash, *bytes + *count, sizeof hash) == 0;
	}
	if (same) {
		(*bytes)[*count] = '\0';
	} else {
		free(*bytes);
		*bytes = NULL;
	}
	error_clear();
	return same;
}

void kept_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

bool kept_copy(const char *out, const char *bytes, size_t count)
{
	bool written = write_file(out, bytes, count, NULL);

	error_clear();
	return written;
}

void kept_write(const char *path, const char *bytes, size_t count)
{
	XXH128_canonical_t hash = hash_of(bytes, count);

	if (write_file(path, bytes, count, &hash))
		compile_folder_trim(COMPILE_CACHE_BYTES);
	error_clear();
}

/* --- kept texts: the head, the folder with a NUL, the text --- */

char *kept_read_text(const char *path, const char *folder, void *head, size_t size)
{
	char *bytes, *text = NULL;
	size_t count, start;

	if (!kept_read(path, &bytes, &count))
		return NULL;
	start = count > size ? size + strlen(bytes + size) + 1 : count;
	if (start < count) {
		if (size > 0)
			memcpy(head, bytes, size);
		text = user_headers_show(xstrdup(bytes + start), bytes + size, folder);
	}
	free(bytes);
	return text;
}

void kept_write_text(const char *path, const char *folder, const void *head, size_t size,
		     const char *text)
{
	size_t start = size + strlen(folder) + 1, count = start + strlen(text);
	char *bytes;

	if (count > KEPT_BYTES)
		return;
	bytes = xmalloc(count + 1);
	if (size > 0)
		memcpy(bytes, head, size);
	memcpy(bytes + size, folder, start - size);
	memcpy(bytes + start, text, count - start + 1);
	kept_write(path, bytes, count);
	free(bytes);
}
