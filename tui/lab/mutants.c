/* mutants.c - makes mutants from the solution by changes of its text; see mutants.h. */
#include "tui/lab/mutants.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/xalloc.h"

#define MAX_FILE ((size_t)4 << 20)

enum status mutants_read(const struct lab *lab, json_t **out)
{
	char *path = xasprintf("%s/staff/mutants.json", lab->folder);
	json_error_t error;
	enum status status = STATUS_OK;

	*out = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!*out)
		status = fail(STATUS_INTERNAL, "%s:%d: %s", path, error.line, error.text);
	else if (!json_is_array(*out))
		status = fail(STATUS_INTERNAL, "%s: expected a list", path);
	free(path);
	return status;
}

/* A text, or a list of lines; the caller frees it. NULL if it is neither. */
static char *text_of(const json_t *json)
{
	char *text;

	if (json_is_string(json))
		return xstrdup(json_string_value(json));
	if (!json_is_array(json))
		return NULL;
	text = xstrdup("");
	for (size_t i = 0; i < json_array_size(json); i++) {
		const char *line = json_string_value(json_array_get(json, i));
		char *longer = xasprintf("%s%s%s", text, i ? "\n" : "", line ? line : "");

		free(text);
		text = longer;
	}
	return text;
}

/* Replaces *text by a changed one. */
static enum status apply(const char *name, const json_t *change, char **text)
{
	char *old = text_of(json_object_get(change, "replace"));
	char *new = text_of(json_object_get(change, "with")), *at, *changed;
	enum status status = STATUS_OK;

	at = old && *old && new ? strstr(*text, old) : NULL;
	if (!at || strstr(at + 1, old)) {
		status = fail(STATUS_INTERNAL, "mutant %s: \"replace\" occurs %s in the solution",
			      name, at ? "more than once" : "nowhere");
	} else {
		changed = xasprintf("%.*s%s%s", (int)(at - *text), *text, new, at + strlen(old));
		free(*text);
		*text = changed;
	}
	free(old);
	free(new);
	return status;
}

static enum status read_whole(const struct lab *lab, const char *file, char **out)
{
	char *path = xasprintf("%s/staff/%s", lab->folder, file);
	size_t bytes;
	enum status status = file_read(path, MAX_FILE, out, &bytes);

	free(path);
	return status == STATUS_OK ? status : fail_context(STATUS_INTERNAL, "mutant");
}

enum status mutant_text(const struct lab *lab, const json_t *mutant, const char *solution,
			char **out)
{
	const char *name = json_string_value(json_object_get(mutant, "name"));
	const char *file = json_string_value(json_object_get(mutant, "file"));
	const json_t *changes = json_object_get(mutant, "changes");

	*out = NULL;
	if (!name || !json_string_value(json_object_get(mutant, "what")))
		return fail(STATUS_INTERNAL, "lab %d: a mutant lacks \"name\" or \"what\"",
			    lab->number);
	if (file)
		return read_whole(lab, file, out);
	*out = xstrdup(solution);
	if (!changes)
		return apply(name, mutant, out);
	for (size_t i = 0; i < json_array_size(changes); i++)
		TRY(apply(name, json_array_get(changes, i), out));
	return STATUS_OK;
}
