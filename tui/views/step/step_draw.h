/* step_draw.h - the parts of the Step screen, for step_draw.c, step_panes.c, step_second.c and
 * step_keys.c. */
#ifndef STEP_DRAW_H
#define STEP_DRAW_H

#include "tui/views/step/step_layout.h"

enum step_pane { PANE_CACHE = 1, PANE_CHUNKS = 2, PANE_MERGE = 4, PANES_ALL = 7 };

struct step_drawing {
	const struct view_context *context;
	const struct step_memory *memory;
	const struct step *step, *second;       /* second: the same step of another run, or NULL */
	struct step_layout layout;
	struct step_progress shown;     /* everything, unless a frame is drawn */
	int64_t frame;                  /* its number, from 0; -1: the whole step */
	const struct step_row *rows;    /* [count] */
	int64_t count;
	int panes;                      /* a set of enum step_pane: all side by side, or one */
	int acc_decimals;               /* digits after the point of acc[0] */
};

/* --- step_panes.c --- */

/* Draws the rows, then what the launch did not fill: empty chunks, unwritten positions. */
void step_panes_draw(const struct step_drawing *);
/* How many lines a row of keys takes, and all rows together with what follows them. */
int step_panes_height(const struct step_drawing *);
int64_t step_panes_lines(const struct step_drawing *);
/* "  8.4%" */
void step_share_text(double share, char text[16]);
/* The line from one merge to the next; returns its columns. */
int step_merge_line(const struct step_drawing *, const struct step_row *);
/* The sum and factor that the merge of a chunk, or a tile, left behind: the kernel's if it
 * published them. */
float step_sum_so_far(const struct step *, int64_t chunk);
float step_factor(const struct step *, int64_t chunk);

/* --- step_second.c --- */

/* The keys' text of the second run below that of a row, if any of it differs, and its numbers;
 * bytes and digits that differ are lit. step_second_differs(): whether a key's byte does. */
bool step_second_differs(const struct step_drawing *, int64_t key);
void step_second_keys(const struct step_drawing *, const struct step_row *);
void step_second_chunk(const struct step_drawing *, const struct step_row *);
void step_second_merge(const struct step_drawing *, const struct step_row *);
void step_second_result(const struct step_drawing *);

/* --- step_keys.c --- */

/* Below the panes, in at most `lines` lines: queries of a prefill launch by key tile, and the keys
 * with the largest weights: a list with their scores and rows of K and V where there is space for
 * it, else their names in the first line. */
enum status step_keys_draw(const struct step_drawing *, int64_t lines);

#endif
