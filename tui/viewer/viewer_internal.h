/* viewer_internal.h - what the parts of the viewer share; nobody else includes it.
 *
 * viewer.c holds the place and draws it; viewer_paint.c puts it on the terminal; viewer_keys.c says
 * which key does what; viewer_move.c, viewer_step_finding.c and so on do it.
 */
#ifndef VIEWER_INTERNAL_H
#define VIEWER_INTERNAL_H

#include "tui/viewer/viewer.h"
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

struct viewer {
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

/* --- viewer.c --- */

/* From a zeroed viewer to its first place; the terminal and its locale are the caller's business.
 * Ended in any case. */
enum status viewer_begin(struct viewer *, const struct viewer_options *);
void viewer_end(struct viewer *);
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
/* Draws the place again. */
void viewer_draw(struct viewer *);
/* The same, with nothing kept of what was drawn before. */
void viewer_forget(struct viewer *);
/* Lines of content that fit on the terminal, 0: it is too small. */
long viewer_lines(const struct viewer *);

/* --- viewer_paint.c --- */

void viewer_paint(const struct viewer *);
/* The key of the screen whose tab is there, 0: none is. */
int viewer_tab_at(const struct viewer *, int y, int x);
/* The line of the first side's content, or of the list, at a line of the terminal; -1: none. */
long viewer_line_at(const struct viewer *, int y);
/* The line that is typed, with the cursor behind it. */
void viewer_paint_prompt(const struct viewer *, const char *prompt, const wchar_t *text);

/* Another message in place of the last, on the terminal as it is. */
void viewer_paint_message(const char *text);

/* --- viewer_work.c --- */

/* Around what a key does and the drawing of its screen: queries that take long say so, and are
 * INTERRUPTED when a key is pressed. */
void viewer_work_begin(struct viewer *);
void viewer_work_end(struct viewer *);
/* On to the screen after work that was stopped. */
void viewer_work_resume(struct viewer *);
/* Whether the user has stopped it. For loops that may take long, at each turn. */
bool viewer_work_stopped(struct viewer *);
/* What may be done while nobody types; true: the screen is to be drawn again. */
bool viewer_work_idle(struct viewer *);
/* Waits for a key, which is no work. TERM_LOST quits. */
int viewer_wait_key(struct viewer *);
/* Of a clock that only goes forward. */
int64_t viewer_now_ms(void);

/* --- viewer_keys.c --- */

/* Does what the key is for; an unknown one says so. */
void viewer_key(struct viewer *, int key);
/* Key number 0, 1, ... of all that do something; 0 behind the last. */
int viewer_key_number(size_t);
/* What a key is called; room is for one that has no name. */
const char *viewer_key_name(int key, char room[32]);
void viewer_keys_list(const struct viewer *, struct display *);
const char *viewer_keys_hint(const struct viewer *);

/* --- viewer_move.c, viewer_step_finding.c and so on: what keys do --- */

#define VIEWER_ACTION_LIST(X) \
	X(next_row) X(previous_row) X(next_head) X(previous_head) X(left) X(right) \
	X(page_down) X(page_up) X(first) X(last) X(deeper) X(back) X(quit) \
	X(next_step) X(previous_step) X(next_op) X(previous_op) \
	X(next_launch) X(previous_launch) X(next_block) X(previous_block) \
	X(next_tile) X(previous_tile) X(next_point) X(previous_point) \
	X(next_break) X(previous_break) X(toggle_break) X(next_finding) X(previous_finding) \
	X(next_difference) X(previous_difference) X(who_wrote) X(who_reads) \
	X(set_mark) X(go_to_mark) X(visited) X(search) X(search_next) X(search_previous) \
	X(command) X(sql) X(help) X(split) X(swap) X(show_address) X(redraw) \
	X(glyphs) X(number) X(distance) X(scale) X(breaks) X(mouse) \
	X(fenced_on) X(fenced_back)

#define X(name) enum status viewer_##name(struct viewer *, int key);
VIEWER_ACTION_LIST(X)
#undef X
enum status viewer_screen(struct viewer *, int key);    /* the number keys */

/* Sets a breakpoint at a kernel, line or address, or takes it away. */
enum status viewer_break(struct viewer *, const char *text);
/* The launch of the place; a step or operation counts as the last launch before it, -1: none. */
enum status viewer_launch_here(struct viewer *, int64_t *launch);
/* The address that a row of a display stands for, in the run that is shown. */
struct address viewer_row_address(const struct viewer *, const struct display *, long row);
/* What a search goes through first: the list or the screen. */
const struct display *viewer_searched(const struct viewer *);
/* Sets the fence, "L10..L20", or takes it away: "". */
enum status viewer_fence(struct viewer *, const char *range);
/* Asks for a line; false: it was given up. */
bool viewer_ask(struct viewer *, const char *prompt, char text[VIEWER_WORDS]);

#endif
