/* step_layout.h - how wide the parts of the Step screen are, and cells of a fixed width. */
#ifndef STEP_LAYOUT_H
#define STEP_LAYOUT_H

#include "tui/views/step/step.h"

struct step_layout {
	int columns;
	bool stacked;                   /* the panes are below each other */
	bool merge;                     /* there is a pane of merges */
	bool acc;                       /* which has acc[0] too */
	int digits;                     /* columns of each number of a merge */
	int number;                     /* of a chunk's max, and of its sum */
	int maxsum;                     /* columns of both together; 0: they do not fit */
	bool heat;                      /* weights are backgrounds, not a line of marks */
	int prefix;                     /* columns of a key's number */
	int keys;                       /* on a line */
	int left, middle, right;        /* columns of the panes, without the frames between them */
};

/* Fits the panes into the columns of the context, by default 100. */
struct step_layout step_layout_fit(const struct view_context *, const struct step *);

/* Prints a text in exactly `width` columns: cut, or padded. */
void step_cell(const struct view_context *, int width, enum view_style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Pads a cell of which `used` columns are printed. */
void step_pad(const struct view_context *, int used, int width);
/* The frame between two panes: 3 columns. */
void step_frame(const struct view_context *);

/* A number of the row's softmax in at most `width` columns, in the chosen format if that fits. */
const char *step_number(const struct view_context *, int width, float, char text[48]);
/* How many digits after the point all of values[count] have room for in `width` columns. */
int step_decimals(int width, const float *values, int64_t count);
/* step_number() for a column: in decimal with that many digits after the point, if that fits. */
const char *step_fixed(const struct view_context *, int width, int decimals, float,
		       char text[48]);

#endif
