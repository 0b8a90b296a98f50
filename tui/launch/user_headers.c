/* user_headers.c - finds the user's headers by the line markers of preprocessed text; see
 * user_headers.h. A trace stores them with the .cu file, so that it can be compiled again. */
#include "tui/launch/user_headers.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"
#include "tui/launch/sandbox.h"

#define HEADER_LIMIT ((size_t)16 << 20)

/* The name in a marker `# 12 "name" 1 3`, which the caller frees; NULL for a system header, for a
 * name that is not a file, and for any other line. */
static char *marked_name(const char *line, const char *end)
{
	const char *open = memchr(line, '"', (size_t)(end - line)), *close;

	if (line[0] != '#' || line[1] != ' ' || !open || open[1] == '<')
		return NULL;
	close = memchr(open + 1, '"', (size_t)(end - open - 1));
	if (!close || memchr(close, '3', (size_t)(end - close)))
		return NULL;
	return xasprintf("%.*s", (int)(close - open - 1), open + 1);
}

/* Whether it is in a folder of program.c: a file of macros that program_pass.c wrote. */
static bool is_made(const struct sandbox *sandbox, const char *name)
{
	static const char folder[] = "/program.";
	size_t length = strlen(sandbox->scratch);

	return strncmp(name, sandbox->scratch, length) == 0
		&& strncmp(name + length, folder, sizeof folder - 1) == 0;
}

static enum status add_header(char *name, struct kernel_source **list, int *count)
{
	struct kernel_source *entry;
	char *text;
	size_t bytes;

	TRY(file_read(name, HEADER_LIMIT, &text, &bytes));
	*list = xreallocarray(*list, (size_t)*count + 2, sizeof **list);
	entry = &(*list)[(*count)++];
	entry[0] = (struct kernel_source){ name, text };
	entry[1] = (struct kernel_source){ NULL, NULL };
	return STATUS_OK;
}

enum status user_headers_find(const char *preprocessed, const char *file,
			      const struct sandbox *sandbox, struct kernel_source **list,
			      int *count)
{
	const char *line = preprocessed, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		char *name = marked_name(line, end);
		bool known = !name || strcmp(name, file) == 0;
		enum status status = STATUS_OK;

		/* There is also a marker for the working directory, "dir//". A #line may name any
		 * file, also one that the compiler could not read. */
		known = known || *name == '\0' || name[strlen(name) - 1] == '/'
			|| is_made(sandbox, name) || !sandbox_sees(sandbox, name);
		for (int i = 0; i < *count && !known; i++)
			known = strcmp((*list)[i].file, name) == 0;
		if (!known)
			status = add_header(name, list, count);
		if (known || status != STATUS_OK)
			free(name);
		TRY(status);
	}
	return STATUS_OK;
}

char *user_headers_show(char *text, const char *folder, const char *shown)
{
	const char *at = folder ? strstr(text, folder) : NULL, *from = text;
	char *renamed = NULL;
	size_t size;
	FILE *out;

	if (!at)
		return text;
	out = xcheck(open_memstream(&renamed, &size));
	for (; at; at = strstr(from, folder)) {
		fwrite(from, 1, (size_t)(at - from), out);
		fputs(shown, out);
		from = at + strlen(folder);
	}
	fputs(from, out);
	fclose(out);
	free(text);
	return xcheck(renamed);
}

char *user_headers_show_all(char *text, const struct name_change *change)
{
	for (; change && change->from; change++)
		text = user_headers_show(text, change->from, change->to);
	return text;
}
