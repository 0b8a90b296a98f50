/* view_list.c - all views, in the order they are listed; see view_list.h. */
#include "tui/views/view_list.h"

#include <stdio.h>
#include <string.h>

const struct view *const view_table[] = {
	&view_summary,
	&view_time,
	&view_launch,
	&view_kv,
	&view_chunks,
	&view_reduce,
	&view_points,
	&view_counters,
	&view_source,
	&view_attention,
	&view_diff,
	&view_findings,
	NULL
};

const struct view *view_find(const char *name)
{
	for (int i = 0; view_table[i]; i++)
		if (strcmp(view_table[i]->name, name) == 0)
			return view_table[i];
	return NULL;
}

enum status view_parse(const char *what, const char *name, const struct view **out)
{
	char names[128];
	size_t used = 0;

	*out = view_find(name);
	if (*out)
		return STATUS_OK;
	for (int i = 0; view_table[i] && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 view_table[i]->name);
	return fail(STATUS_USAGE, "%s %s: there are %s", what, name, names);
}
