/* kernel_text.h - the recorded source files of a kernel, by line.
 *
 * Serves the views that show or name lines.
 */
#ifndef KERNEL_TEXT_H
#define KERNEL_TEXT_H

#include "tui/views/view.h"

struct kernel_file {
	char *name, *text;              /* owned */
	const char **lines;             /* [count] into text; each ends at its '\n' or the end */
	int64_t count;
};

struct kernel_text {
	struct kernel_file *files;      /* [count]; 0 is the kernel's own, the rest headers */
	int count;
};

/* None recorded: count 0. Free it in any case. */
enum status kernel_text_read(const struct view_context *, const char *kernel,
			     struct kernel_text *);
void kernel_text_free(struct kernel_text *);

/* Bytes of a line, which counts from 1. */
size_t kernel_text_length(const struct kernel_file *, int64_t line);
const char *kernel_text_line(const struct kernel_file *, int64_t line);

/* The file of that name, or with that last part; -1: none. */
int kernel_text_file(const struct kernel_text *, const char *name);
/* Where the text passes a named point; false: nowhere. */
bool kernel_text_point(const struct kernel_text *, const char *point, int *file, int64_t *line);
/* The name of the point that a line passes; false: none. */
bool kernel_text_passes(const struct kernel_file *, int64_t line, char name[32]);
/* Where the kernel begins; its file's first line when that is not seen. */
void kernel_text_begin(const struct kernel_text *, const char *kernel, int *file, int64_t *line);

#endif
