/* view_point_names.c - the names of a named point's values; see view_point_names.h. */
#include "tui/views/kernel/view_point_names.h"

#include <stdio.h>
#include <string.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

/* Names for the values of our own kernels' points, as in kernels/points.h. Values of users' kernels
 * are v0 to v3, even if a point has one of these names. */
static const struct {
	const char *point, *values[4];
} value_names[] = {
	{ "score", { "score", "exp(score - running max)", "", "" } },
	{ "softmax", { "max", "rescale", "sum", "" } },
	{ "reduce", { "factor", "sum", "acc0", "" } },
};

struct own_points {
	const char *kernel;
	bool own;
};

static enum status take_own(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct own_points *o = state;
	const char *text = view_text(row, 2);
	char words[96], bounded[96];

	(void)c;
	snprintf(words, sizeof words, "KERNEL %s(", o->kernel);
	/* On the line after "KERNEL __launch_bounds__(...)". */
	snprintf(bounded, sizeof bounded, "\n%s(", o->kernel);
	if (strcmp(view_text(row, 0), o->kernel) == 0)
		o->own = strncmp(view_text(row, 1), "kernels/", 8) == 0
			&& (strstr(text, words)
			    || (strstr(text, "KERNEL __launch_bounds__(")
				&& strstr(text, bounded)));
	return STATUS_OK;
}

enum status view_own_points(const struct view_context *c, const char *kernel, bool *own)
{
	struct own_points o = { kernel, true }; /* assumed without the kernel's text */

	TRY(VIEW_ROWS(c, take_own, &o, "SELECT kernel, file, source FROM v_source"
		      " WHERE run = ?1 AND entry = 0", c->run));
	*own = o.own;
	return STATUS_OK;
}

const char *view_point_value(bool own, const char *point, int value)
{
	static const char *const plain[] = { "v0", "v1", "v2", "v3" };

	for (size_t i = 0; own && i < sizeof value_names / sizeof value_names[0]; i++)
		if (strcmp(value_names[i].point, point) == 0)
			return value_names[i].values[value];
	return plain[value];
}
