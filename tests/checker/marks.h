/* marks.h - for tests: the line of a kernel in tests/checker/ that is marked as its bug. */
#ifndef TESTS_CHECKER_MARKS_H
#define TESTS_CHECKER_MARKS_H

#include "tests/support.h"

#include "base/xalloc.h"
#include "traces/row.h"

/* `file_name` has no folder and no suffix. */
static inline int marked_line(const char *file_name, const char *kernel)
{
	const char *top = getenv("abs_srcdir");
	char *path = xasprintf("%s/tests/checker/%s.cu", top ? top : ".", file_name);
	char *head = xasprintf("KERNEL %s(", kernel);
	FILE *file = fopen(path, "r");
	char text[200];
	bool within = false;
	int line = 0, found = 0;

	ck_assert_msg(file != NULL, "%s: cannot be read", path);
	while (!found && fgets(text, sizeof text, file)) {
		line++;
		if (strncmp(text, "KERNEL ", 7) == 0)
			within = strncmp(text, head, strlen(head)) == 0;
		if (within && strstr(text, "/* BUG */"))
			found = line;
	}
	fclose(file);
	free(path);
	free(head);
	ck_assert_msg(found > 0, "%s has no marked line", kernel);
	return found;
}

static inline bool side_is_at(const struct row_side *side, const char *file_name, int line)
{
	return side->what && side->line == line && side->file && strstr(side->file, file_name);
}

#endif
