/* failure.c - makes failures; see failure.h. */
#include "config.h"

#include "tui/lab/case/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"

const char *const failure_names[BY_COUNT] = { "output", "invariant", "checker", "structure" };

static json_t *formatted(const char *format, va_list list)
{
	char *text = NULL, *safe;
	json_t *json;

	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	safe = visible_text(xcheck(text));
	json = json_string(safe);
	free(safe);
	free(text);
	return json;
}

json_t *failure_new(enum failure_by by, const char *kind, const char *why, const char *next,
		    const char *what, ...)
{
	json_t *failure = json_object();
	va_list list;

	va_start(list, what);
	json_object_set_new(failure, "by", json_string(failure_names[by]));
	json_object_set_new(failure, "kind", json_string(kind));
	json_object_set_new(failure, "what", formatted(what, list));
	json_object_set_new(failure, "why", json_string(why));
	json_object_set_new(failure, "next", json_string(next));
	va_end(list);
	return failure;
}

void failure_where(json_t *failure, const char *address, ...)
{
	va_list list;

	va_start(list, address);
	json_object_set_new(failure, "where", formatted(address, list));
	va_end(list);
}

enum failure_by failure_by(const json_t *failure)
{
	const char *name = failure_text(failure, "by");
	int by = 0;

	while (by < BY_COUNT - 1 && strcmp(failure_names[by], name) != 0)
		by++;
	return (enum failure_by)by;
}

const char *failure_text(const json_t *failure, const char *key)
{
	const char *text = json_string_value(json_object_get(failure, key));

	return text ? text : "";
}
