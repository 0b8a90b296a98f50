/* viewer_state.h - the viewer's state: sides, the place, places to go back to, lists, messages.
 *
 * viewer_draw.c draws the place; viewer_paint.c paints it on the terminal; viewer_keys.c maps keys
 * to actions; viewer_move.c, viewer_step_finding.c and so on define the actions.
 */
#ifndef VIEWER_STATE_H
#define VIEWER_STATE_H

#include "tui/viewer/viewer_term.h"
#include "tui/viewer/viewer_trail.h"
#include "tui/views/kernel/breakpoints.h"

#define VIEWER_PLACES 64                /* remembered; the oldest are forgotten */
#define VIEWER_MARKS 26
#define VIEWER_INPUT 2000               /* max. bytes of a typed line, with NUL */

struct viewer_place {
	const struct view *view;
	struct address at;
};

struct viewer_places {
	struct viewer_place items[VIEWER_PLACES];
	int count;
};

/* A search for a difference that was stopped and can be resumed. */
struct viewer_search {
	bool begun;
	struct address from;            /* the place and screen it began at */
	const struct view *view;
	int direction;
	struct diff_spot spot;
};

/* One side of the screen: a run, and what was drawn of it. */
struct viewer_side {
	struct store *store;
	int64_t run;
	struct display *display;        /* owned */
	const struct view *drawn;       /* the view and run that the display shows */
	int64_t drawn_run;
	int64_t named;                  /* the run that `name` is about, 0: none yet */
	char name[160];                 /* trace, run, device, seed and path */
};

/* A range of operations that c and C do not leave. */
struct viewer_fence {
	bool set;
	int64_t first, last;
	char text[2 * ADDRESS_TEXT + 2];
};

/* The work that a key started, until its screen is drawn. */
struct viewer_work {
	bool going, stopped;
	bool idle;                      /* background work: any input stops it */
	bool drawing;                   /* a screen, which keys that need its rows wait for */
	int64_t since_ms;
	int64_t said_ms;                /* when the message about stopping was shown, 0: not yet */
	int typed_ahead;                /* bytes of input already waiting then */
	int stops;                      /* how often it was stopped and then resumed */
};

/* A list of operations, which `+` makes longer. */
struct viewer_ops {
	const char *sql;                /* NULL: the list is another one */
	int64_t values[6];
	int64_t limit, listed;
	bool more;
};

/* A step shown frame by frame. */
struct viewer_play {
	bool shown;                     /* the place is a frame */
	bool going;                     /* the next one follows by itself */
	int direction, speed;           /* speed: 0 usual, less is slower */
	int64_t due_ms;
	struct step_memory *memory;     /* that step; owned, or NULL */
};

struct viewer_key;

struct viewer {
	const struct viewer_key *keys;  /* a key without an action ends the table */
	struct viewer_side side[2];     /* the second exists if side[1].store is not NULL */
	bool split;                     /* both are shown */
	bool beside;                    /* next to each other, if they fit */
	struct viewer_place here;
	int64_t head, slot;             /* shown last; for places that name none */
	bool all, what_if;              /* no rows are left out; other orders of a reduction */
	long top;                       /* first line of the content on the terminal */
	int left;                       /* first column */
	bool follow;                    /* scroll to the row of the address */

	/* A list on top of the screen: help, places, answers; NULL: none. Owned. */
	struct display *list;
	char list_title[80];
	long list_row, list_top;
	struct viewer_ops ops;

	struct viewer_places opened;    /* where `q` goes back to */
	struct viewer_places visited;   /* jumps, oldest first */
	struct viewer_place marks[VIEWER_MARKS];
	struct viewer_place before_jump;
	struct trail trail;             /* steps that the opposite key undoes */

	struct view_recompute *recompute;
	struct breakpoints breaks;
	struct viewer_fence fence;
	struct view_scan scan;          /* for the first difference of the two sides */
	struct viewer_search difference;
	struct viewer_work work;
	struct viewer_play play;
	bool ready;                     /* no background work is left */
	int64_t patience_ms;            /* stops a key's work after this time; 0: never */
	char search[VIEWER_INPUT];
	long match;                     /* line of the last match, -1: none yet */
	char message[400];
	bool message_is_error;
	enum glyphs glyphs;
	struct view_format looks;
	bool quit;
	enum status status;             /* the result of the viewer */
};

struct view_context viewer_context(const struct viewer *, int side);
void viewer_say(struct viewer *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shows the current error, and clears it; call it for every status that is not OK. */
void viewer_show_error(struct viewer *);
/* Goes to another address on the same screen. */
void viewer_go(struct viewer *, const struct address *);
/* Goes to an address and a screen, and remembers the jump. */
void viewer_jump(struct viewer *, const struct view *, const struct address *);
/* Opens another screen, at the nearest address that it has content for; `q` goes back. */
enum status viewer_open_view(struct viewer *, const struct view *);
/* Shows a list; takes ownership of the display. */
void viewer_show_list(struct viewer *, const char *title, struct display *);
void viewer_close_list(struct viewer *);
/* Makes the next viewer_draw() draw everything again. */
void viewer_forget(struct viewer *);

/* The launch of the place; for a step or operation, the last launch before it; -1: none. */
enum status viewer_launch_here(struct viewer *, int64_t *launch);
/* The address of a row of a display, in the run that is shown. */
struct address viewer_row_address(const struct viewer *, const struct display *, long row);
/* The display that a search starts with: the list if one is shown, else the screen. */
const struct display *viewer_searched(const struct viewer *);

#endif
