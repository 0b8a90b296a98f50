/* view.h - the interface of a view of a trace.
 *
 * A view draws one screen into a display, at most 100 columns wide, from the v_* views of a trace
 * alone; it uses no engine and no GPU. Each view has a file, which ends with its struct view.
 * Values are shown from their bits; what was not measured or recorded is "-". Used by cmd_view.c
 * and the viewer.
 */
#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "traces/diff/diff_spot.h"
#include "traces/store/store.h"
#include "tui/views/address.h"
#include "tui/views/view_display.h"
#include "tui/views/view_format.h"

/* The search for the first difference of two runs, which can be resumed. */
struct view_scan {
	struct diff_pair pair;          /* compared; another pair restarts the search */
	struct diff_spot spot;
	enum diff_outcome outcome;
	diff_stop_fn *stop;             /* NULL: never */
	void *context;
};

struct breakpoints;
struct view;

struct view_context {
	struct display *out;
	struct store *store;
	struct store *other;            /* a second trace to compare with, or NULL */
	int64_t run;                    /* the run shown */
	int64_t other_run;              /* to compare with, in `other` or this trace; 0: any */
	struct view_scan *scan;         /* kept between drawings, or NULL */
	const struct breakpoints *breaks;       /* to mark, or NULL */
	struct address at;              /* address_none: no place is chosen */
	const struct view *const *listed;       /* views that this one may list; NULL: none */
	bool all;                       /* leave no rows out */
	struct view_format looks;
};

struct view {
	const char *name;               /* of --screen */
	const char *summary;
	const char *table;              /* has rows for the launches it can show; NULL: all */
	bool whole;                     /* it shows the same at every address of a run */
	/* IO or DAMAGED from the trace; USAGE when the trace has nothing at the address. */
	enum status (*draw)(const struct view_context *);
};

#endif
