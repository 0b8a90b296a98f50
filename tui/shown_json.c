/* shown_json.c - copies JSON with visible escapes; see shown_json.h. */
#include "config.h"

#include "tui/shown_json.h"

#include <stdlib.h>

#include "base/visible.h"

static json_t *shown_string(const json_t *value)
{
	char *text = visible_text(json_string_value(value));
	json_t *shown = json_string(text);

	free(text);
	return shown;
}

json_t *shown_json(const json_t *value)
{
	json_t *copy, *member;
	const char *name;

	if (json_is_string(value))
		return shown_string(value);
	copy = json_copy((json_t *)value);
	for (size_t i = 0; i < json_array_size(value); i++)
		json_array_set_new(copy, i, shown_json(json_array_get(value, i)));
	/* Setting a name that exists does not change the order or end the loop. */
	json_object_foreach((json_t *)value, name, member)
		json_object_set_new(copy, name, shown_json(member));
	return copy;
}
