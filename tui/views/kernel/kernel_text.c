/* kernel_text.c - reads a kernel's recorded files and finds lines in them; see kernel_text.h. */
#include "config.h"

#include "tui/views/kernel/kernel_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

/* --- reading --- */

static void cut_lines(struct kernel_file *f)
{
	int64_t capacity = 0;

	for (const char *at = f->text; *at; ) {
		if (f->count == capacity) {
			capacity = capacity ? 2 * capacity : 128;
			f->lines = xreallocarray(f->lines, (size_t)capacity, sizeof *f->lines);
		}
		f->lines[f->count++] = at;
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
}

struct reading {
	const char *kernel;
	struct kernel_text *text;
};

static enum status take_file(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reading *r = state;
	struct kernel_text *t = r->text;
	struct kernel_file *f;

	(void)c;
	if (strcmp(view_text(row, 0), r->kernel) != 0)
		return STATUS_OK;
	t->files = xreallocarray(t->files, (size_t)t->count + 1, sizeof *t->files);
	f = &t->files[t->count++];
	*f = (struct kernel_file){ .name = xstrdup(view_text(row, 1)),
				   .text = xstrdup(view_null(row, 2) ? "" : view_text(row, 2)) };
	cut_lines(f);
	return STATUS_OK;
}

enum status kernel_text_read(const struct view_context *c, const char *kernel,
			     struct kernel_text *text)
{
	struct reading r = { kernel, text };

	*text = (struct kernel_text){ 0 };
	return VIEW_ROWS(c, take_file, &r, "SELECT kernel, file, source FROM v_source"
			 " WHERE run = ?1 ORDER BY kernel, entry", c->run);
}

void kernel_text_free(struct kernel_text *t)
{
	for (int i = 0; i < t->count; i++) {
		free(t->files[i].name);
		free(t->files[i].text);
		free(t->files[i].lines);
	}
	free(t->files);
	*t = (struct kernel_text){ 0 };
}

const char *kernel_text_line(const struct kernel_file *f, int64_t line)
{
	return f->lines[line - 1];
}

size_t kernel_text_length(const struct kernel_file *f, int64_t line)
{
	return strcspn(f->lines[line - 1], "\n");
}

/* --- finding --- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool kernel_text_passes(const struct kernel_file *f, int64_t line, char name[32])
{
	const char *text = kernel_text_line(f, line), *end = text + kernel_text_length(f, line);
	size_t length = 0;

	for (; text + 6 < end && strncmp(text, "POINT(", 6) != 0; text++)
		;
	if (text + 6 >= end)
		return false;
	text += 6;
	while (text + length < end && is_word(text[length]))
		length++;
	if (length == 0 || length > 31 || text + length == end || text[length] != ',')
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return true;
}

/* The header that declares points mentions POINT() but publishes nothing. */
static bool declares_points(const struct kernel_file *f)
{
	const char *slash = strrchr(f->name, '/');

	return strcmp(slash ? slash + 1 : f->name, "points.h") == 0;
}

/* The line that publishes a point, other than in the definition of a macro. */
static bool passes_point(const struct kernel_file *f, const char *point, int64_t *line)
{
	char name[32];

	if (declares_points(f))
		return false;
	for (*line = 1; *line <= f->count; ++*line)
		if (kernel_text_passes(f, *line, name) && strcmp(name, point) == 0)
			return true;
	return false;
}

bool kernel_text_point(const struct kernel_text *t, const char *point, int *file, int64_t *line)
{
	/* The kernel's own file; else the last one, which includes what it uses: kernels of the
	 * ladder also have the text of others' loops. */
	for (int i = 0; i < t->count; i++) {
		*file = i == 0 ? 0 : t->count - i;
		if (passes_point(&t->files[*file], point, line))
			return true;
	}
	return false;
}

/* "name(" as a word of the line. */
static bool calls(const char *text, size_t length, const char *name)
{
	size_t bytes = strlen(name);

	for (size_t i = 0; i + bytes < length; i++)
		if (memcmp(text + i, name, bytes) == 0 && text[i + bytes] == '('
		    && (i == 0 || !is_word(text[i - 1])))
			return true;
	return false;
}

/* "KERNEL name(" or "__global__ ... name(", which may begin on the line before. */
static bool begins(const struct kernel_file *f, int64_t line, const char *name)
{
	if (!calls(kernel_text_line(f, line), kernel_text_length(f, line), name))
		return false;
	for (int64_t at = line; at > 0 && at > line - 3; at--) {
		const char *text = kernel_text_line(f, at);
		size_t length = kernel_text_length(f, at);

		if (memmem(text, length, "KERNEL", 6) || memmem(text, length, "__global__", 10))
			return true;
	}
	return false;
}

void kernel_text_begin(const struct kernel_text *t, const char *kernel, int *file, int64_t *line)
{
	char name[128];

	/* The kernel may be an instance of a template, named with its arguments. */
	snprintf(name, sizeof name, "%.*s", (int)strcspn(kernel, "<"), kernel);
	for (*file = 0; *file < t->count; ++*file)
		for (*line = 1; *line <= t->files[*file].count; ++*line)
			if (begins(&t->files[*file], *line, name))
				return;
	*file = 0;
	*line = 1;
}
