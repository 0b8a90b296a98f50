/* compile_kept.h - names, reads and writes the files of the folder of kept files.
 *
 * Private to compile_cache.c, preprocess_cache.c and rewrite_cache.c. */
#ifndef COMPILE_KEPT_H
#define COMPILE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "base/status.h"
#include "tui/launch/compile_cache.h"

/* The longest file that is kept. */
#define KEPT_BYTES ((size_t)COMPILE_CACHE_BYTES / 8)

/* The folder of temporary files, which has another name in each run, with a slash. The caller frees
 * it. */
char *kept_folder_of(const struct compile_step *);

void kept_add_text(XXH3_state_t *, const char *text);
/* Bytes without the folder's name, wherever it is in them. */
void kept_add_but(XXH3_state_t *, const char *bytes, size_t count, const char *folder);
/* Size, date and inode: another version of a file differs in one of them. */
void kept_add_identity(XXH3_state_t *, const struct stat *);
/* The compiler and its arguments. */
void kept_add_command(XXH3_state_t *, const struct compile_step *, const char *folder);
/* The working folder, which debug information names; false if it has no name. */
bool kept_add_folder(XXH3_state_t *);

/* The path of the file that a hash names; NULL if nothing is kept. The caller frees it. */
char *kept_path(XXH3_state_t *);
/* False if the file does not exist or is damaged. The caller frees the bytes, which a NUL ends. */
bool kept_read(const char *path, char **bytes, size_t *count);
/* Files used longest ago are removed first. */
void kept_touch(const char *path);
void kept_write(const char *path, const char *bytes, size_t count);

/* Texts name temporary files, in a folder that each run has its own of. Kept with a text are `size`
 * bytes of a head, and that folder. */
/* The text with the folder of this run, which the caller frees, and its head; NULL as for false of
 * kept_read(). */
char *kept_read_text(const char *path, const char *folder, void *head, size_t size);
/* Does nothing with a text that is too long. */
void kept_write_text(const char *path, const char *folder, const void *head, size_t size,
		     const char *text);

/* Writes a temporary file that the compiler would have written. */
bool kept_copy(const char *out, const char *bytes, size_t count);

/* Runs the compiler. *printed: whether it printed anything. */
enum status compile_step_run(const struct compile_step *, bool *printed);

#endif
