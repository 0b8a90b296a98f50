/* kernel_text.h - the recorded source files of a kernel, by line.
 *
 * Used by the views that show or name lines.
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

/* count is 0 when no text was recorded. The caller frees it, after an error too. */
enum status kernel_text_read(const struct view_context *, const char *kernel,
			     struct kernel_text *);
void kernel_text_free(struct kernel_text *);

/* The length of a line in bytes, and its text. Lines count from 1. */
size_t kernel_text_length(const struct kernel_file *, int64_t line);
const char *kernel_text_line(const struct kernel_file *, int64_t line);

/* The file and line that publish a named point; false: none does. */
bool kernel_text_point(const struct kernel_text *, const char *point, int *file, int64_t *line);
/* The name of the point that a line publishes; false: none. */
bool kernel_text_passes(const struct kernel_file *, int64_t line, char name[32]);
/* The line where the kernel begins; the first line of its own file when it is not found. */
void kernel_text_begin(const struct kernel_text *, const char *kernel, int *file, int64_t *line);

#endif
