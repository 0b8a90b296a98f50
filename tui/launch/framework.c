/* framework.c - replaces the headers of frameworks that users' files include; see framework.h. */
#include "config.h"

#include "tui/launch/framework.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"

#define TEXT_LIMIT ((size_t)64 << 20)
#define MAX_NAMES 32

static const char folder_name[] = "/sim/cuda/framework/";

void framework_add(struct arg_list *args, const char *include, char **folder)
{
	*folder = xasprintf("%s%s", include, folder_name);
	arg_list_add(args, "-idirafter");
	arg_list_add(args, *folder);
}

void framework_add_nvcc(struct arg_list *args, const char *include, char **folder)
{
	arg_list_add(args, "-Xcompiler");
	arg_list_add(args, "-idirafter");
	arg_list_add(args, "-Xcompiler");
	*folder = xasprintf("%s%s", include, folder_name);
	arg_list_add(args, *folder);
}

/* The header that a line marker `# 1 "DIR/sim/cuda/framework/torch/types.h"` names. */
static const char *name_in(const char *line, size_t length, int *name_length)
{
	const char *found = length > 1 && line[0] == '#' && line[1] == ' '
		? memmem(line, length, folder_name, strlen(folder_name)) : NULL;
	const char *end;

	if (!found)
		return NULL;
	found += strlen(folder_name);
	end = memchr(found, '"', length - (size_t)(found - line));
	*name_length = end ? (int)(end - found) : 0;
	return end ? found : NULL;
}

bool framework_warn(const char *file, const char *preprocessed)
{
	const char *names[MAX_NAMES], *end;
	int lengths[MAX_NAMES], count = 0;
	char *text;
	size_t bytes;

	if (file_read(preprocessed, TEXT_LIMIT, &text, &bytes) != STATUS_OK)
		return false;
	for (const char *line = text; (end = strchr(line, '\n')); line = end + 1) {
		bool known;

		if (count == MAX_NAMES)
			break;
		names[count] = name_in(line, (size_t)(end - line), &lengths[count]);
		known = !names[count];
		for (int i = 0; i < count && !known; i++)
			known = lengths[i] == lengths[count]
				&& strncmp(names[i], names[count], (size_t)lengths[i]) == 0;
		if (known)
			continue;
		fprintf(stderr, "warning: %s: <%.*s> is left out: kernels do not need it\n", file,
			lengths[count], names[count]);
		count++;
	}
	free(text);
	return count > 0;
}
