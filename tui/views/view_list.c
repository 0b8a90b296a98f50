/* view_list.c - all views, in the order they are listed; see view_list.h. */
#include "tui/views/view_list.h"

#include <string.h>

const struct view *const view_table[] = {
	&view_step,
	&view_summary,
	&view_time,
	&view_launch,
	&view_kv,
	&view_chunks,
	&view_reduce,
	&view_points,
	&view_counters,
	&view_memory,
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
