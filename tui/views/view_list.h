/* view_list.h - all views, by name. */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include "tui/views/view.h"

extern const struct view view_step, view_summary, view_time, view_launch, view_kv, view_chunks,
	view_reduce, view_points, view_counters, view_source, view_attention, view_diff,
	view_findings, view_memory;

/* All views, NULL-terminated. */
extern const struct view *const view_table[];
const struct view *view_find(const char *name);

#endif
