/* program_file.h - objects and executables of `flashtwin cc`: the sources of a program in one file.
 *
 * A file holds its .cu, .cpp and .c files, the headers of the user's that they include, and the
 * flags of each, so that it runs wherever it is moved. It is text: an executable is a shell script
 * that starts `flashtwin run` on itself, followed by the same JSON object as in an object file.
 */
#ifndef PROGRAM_FILE_H
#define PROGRAM_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"
#include "tui/launch/program.h"
#include "tui/launch/user_headers.h"

/* An object: "units", each with "file" and "flags", "libraries", and "sources" by name. All names
 * are absolute. */
json_t *program_file_new(void);
/* Adds one file: compiles it, so that errors are reported now, and reads it and its headers. The
 * errors of program_build(). */
enum status program_file_add(json_t *, const struct program_source *one);
/* Adds everything that another one has. */
void program_file_merge(json_t *, const json_t *from);

/* Whether the file begins as one of these. */
bool program_file_is(const char *path, bool *executable);
/* IO; DAMAGED if it is not one of these. */
enum status program_file_read(const char *path, json_t **out);
/* `flashtwin`: the program that an executable starts; NULL: writes an object. */
enum status program_file_write(const char *path, const json_t *, const char *flashtwin);

/* What `run` needs to compile an executable. */
struct program_unpacked {
	char *folder;                   /* has the sources; with a slash */
	struct name_change changes[2];
	char **files, ***flags, **libraries;    /* NULL-terminated */
	char *prefix_flag;
	const char *standard;           /* of the first file; belongs to the JSON object */
};
/* Writes the sources into a new folder in `scratch`. */
enum status program_file_unpack(const json_t *, const char *scratch, struct program_unpacked *);
void program_unpacked_free(struct program_unpacked *);

#endif
