/* point_names.c - finds the names that POINT leaves in preprocessed text; see point_names.h. */
#include "config.h"

#include "sim/cu2c/point_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "sim/cu2c/token.h"

/* Whether the quoted text may be the name in POINT_##name. */
static bool is_name(const struct token *quoted)
{
	/* kernels/points.h defines POINT_COUNT and the like. */
	static const char *const reserved[] = {
		"\"COUNT\"", "\"LIST\"", "\"PICK\"", "\"SINK\"", "\"VALUES\"", NULL
	};
	const char *text = quoted->text + 1;
	int length = quoted->length - 2;

	if (length < 1 || isdigit((unsigned char)*text) || token_among(quoted, reserved))
		return false;
	for (int i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return true;
}

static enum status add_name(const struct token *quoted, char ***names, int *count)
{
	const char *text = quoted->text + 1;
	size_t length = (size_t)quoted->length - 2;

	if (!is_name(quoted))
		return token_fail(quoted, "POINT cannot have the name %.*s", (int)length, text);
	for (int i = 0; i < *count; i++)
		if (strlen((*names)[i]) == length && memcmp((*names)[i], text, length) == 0)
			return STATUS_OK;
	if (*count == MAX_POINT_NAMES)
		return token_fail(quoted, "more than %d point names", MAX_POINT_NAMES);
	*names = xreallocarray(*names, (size_t)*count + 2, sizeof **names);
	(*names)[(*count)++] = xasprintf("%.*s", (int)length, text);
	(*names)[*count] = NULL;
	return STATUS_OK;
}

enum status point_names_find(const char *file, const char *text, size_t bytes, char ***names)
{
	static const char mark[] = "\"<flashtwin point>\"";
	enum status status = STATUS_OK;
	struct tokens tokens;
	int count = 0;

	*names = NULL;
	if (!memmem(text, bytes, mark, sizeof mark - 1))
		return STATUS_OK;
	TRY(tokens_read(file, text, bytes, &tokens));
	for (int i = 0; i + 1 < tokens.count && status == STATUS_OK; i++)
		if (token_is(&tokens.at[i], mark))
			status = add_name(&tokens.at[i + 1], names, &count);
	tokens_free(&tokens);
	if (status == STATUS_OK)
		return status;
	point_names_free(*names);
	*names = NULL;
	return status;
}

char *point_names_list(char *const *names)
{
	char *text = NULL;
	size_t size;
	FILE *out = xcheck(open_memstream(&text, &size));

	for (; *names; names++)
		fprintf(out, "X(%s, \"\", \"\", \"\", \"\") ", *names);
	fclose(out);
	return xcheck(text);
}

void point_names_free(char **names)
{
	for (int i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}
