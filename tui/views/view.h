/* view.h - the interface of a view of a trace.
 *
 * A view draws one screen into a display, at most 100 columns wide, or as wide as the context says,
 * from the v_* views of a trace alone; it uses no engine and no GPU. Each view has a file, which
 * ends with its struct view. Values are shown from their bits; what was not measured or recorded is
 * "-". Used by cmd_view.c and the viewer.
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

/* Replays one launch of a run on the simulator at level points, because the trace lacks its
 * points, partials or outputs. *out is a temporary trace, to which store_index_views() was applied;
 * the caller closes it. Run, launch and buffers have the same numbers there, operations do not.
 * What is taken from it must be shown as "recomputed on the simulator". This can take seconds, and
 * may be called in a thread that has the store to itself.
 *
 * DIFFERS if the launch does not write what was recorded, USAGE if it cannot be replayed, otherwise
 * what went wrong: *out is NULL then, and the message is for the user.
 *
 * Views use no engine: a command hands this function to them, or NULL (--no-replay). */
typedef enum status view_replay_fn(void *context, struct store *, int64_t run, int64_t launch,
				   struct store **out);

/* Where a drawing goes: what it says about what it leaves out depends on it. */
enum view_output {
	OUTPUT_PLAIN,                   /* `view --plain` */
	OUTPUT_VIEWER,
	OUTPUT_PAGE                     /* an export, which cannot show more */
};

struct breakpoints;
struct step_memory;
struct view;
struct view_recompute;

struct view_context {
	struct display *out;
	struct store *store;
	struct store *other;            /* a second trace to compare with, or NULL */
	int64_t run;                    /* the run shown */
	int64_t other_run;              /* to compare with, in `other` or this trace; 0: any */
	struct view_scan *scan;         /* kept between drawings, or NULL */
	struct view_recompute *recompute;       /* of what the trace lacks, or NULL */
	const struct breakpoints *breaks;       /* to mark, or NULL */
	struct address at;              /* address_none: no place is chosen */
	int64_t head, slot;             /* shown where the address names none */
	bool play;                      /* `at` is a frame: what comes after it is not drawn yet */
	struct step_memory *played;     /* the step of the frames, kept between them, or NULL */
	int columns, lines;             /* of the output; 0: 100 columns, any number of lines */
	bool heat;                      /* the output shows the heat styles of view_display.h */
	const struct view *const *listed;       /* views that this one may list; NULL: none */
	bool all;                       /* leave no rows out */
	bool what_if;                   /* the reduction in other orders as well */
	enum view_output output;
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
