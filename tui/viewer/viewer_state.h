/* viewer_state.h - what the viewer keeps: sides, the place, places to go back to, lists, messages.
 *
 * viewer_draw.c draws the place; viewer_paint.c puts it on the terminal; viewer_keys.c says which
 * key does what; viewer_move.c, viewer_step_finding.c and so on do it.
 */
#ifndef VIEWER_STATE_H
#define VIEWER_STATE_H

#include "tui/viewer/viewer_term.h"
#include "tui/viewer/viewer_trail.h"
#include "tui/views/breakpoints.h"

#define VIEWER_PLACES 64                /* remembered; the oldest are forgotten */
#define VIEWER_MARKS 26
#define VIEWER_WORDS 2000               /* of a line typed in */

struct viewer_place {
	const struct view *view;
	struct address at;
};

struct viewer_places {
	struct viewer_place items[VIEWER_PLACES];
	int count;
};

/* A search for a difference that was cut, to be gone on with. */
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
	const struct view *drawn;       /* what the display shows, and of which run */
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

/* What a key began, from the key to its screen. */
struct viewer_work {
	bool going, stopped;
	bool idle;                      /* nobody asked for it: what comes in stops it */
	int64_t since_ms;
	int64_t said_ms;                /* when it said that any key stops it, 0: not yet */
	int typed_ahead;                /* bytes, that were waiting then */
	int stops;                      /* that were got over */
};

struct viewer_key;

struct viewer {
	const struct viewer_key *keys;  /* there are; the last has no action */
	struct viewer_side side[2];     /* the second is there when side[1].store is not NULL */
	bool split;                     /* both are shown */
	struct viewer_place here;
	long top;                       /* first line of the content on the terminal */
	int left;                       /* first column */
	bool follow;                    /* scroll to the row of the address */

	/* A list on top of the screen: help, places, answers; NULL: none. Owned. */
	struct display *list;
	char list_title[80];
	long list_row, list_top;

	struct viewer_places opened;    /* where `q` goes back to */
	struct viewer_places visited;   /* jumps, oldest first */
	struct viewer_place marks[VIEWER_MARKS];
	struct viewer_place before_jump;
	struct trail trail;             /* steps that steps back take back */

	struct breakpoints breaks;
	struct viewer_fence fence;
	struct view_scan scan;          /* for the first difference of the two sides */
	struct viewer_search difference;
	struct viewer_work work;
	bool ready;                     /* nothing is left to do while nobody types */
	int64_t patience_ms;            /* then a key's work is stopped as by another, 0: never */
	char search[VIEWER_WORDS];
	long match;                     /* line where it was found last, -1: nowhere yet */
	char message[400];
	bool message_is_error;
	enum glyphs glyphs;
	struct view_format looks;
	bool quit;
	enum status status;             /* what the viewer ends with */
};

struct view_context viewer_context(const struct viewer *, int side);
void viewer_say(struct viewer *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shows the error record; for every status that is not OK. */
void viewer_complain(struct viewer *);
/* Another address on the same screen. */
void viewer_go(struct viewer *, const struct address *);
/* The same, and remembered: marks and lists lead back. */
void viewer_jump(struct viewer *, const struct view *, const struct address *);
/* Another screen; `q` comes back. Finds an address that the screen has something for. */
enum status viewer_open_view(struct viewer *, const struct view *);
/* Shows a list; takes the display over. */
void viewer_show_list(struct viewer *, const char *title, struct display *);
void viewer_close_list(struct viewer *);
/* The next drawing keeps nothing of what was drawn before. */
void viewer_forget(struct viewer *);

/* The launch of the place; a step or operation counts as the last launch before it, -1: none. */
enum status viewer_launch_here(struct viewer *, int64_t *launch);
/* The address that a row of a display stands for, in the run that is shown. */
struct address viewer_row_address(const struct viewer *, const struct display *, long row);
/* What a search goes through first: the list or the screen. */
const struct display *viewer_searched(const struct viewer *);

#endif
