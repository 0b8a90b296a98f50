/* view_axis.h - when the operations of a step ran: bars on an axis of time, for the timeline. */
#ifndef VIEW_AXIS_H
#define VIEW_AXIS_H

#include "tui/views/view.h"

struct view_bar {
	int64_t op;
	double begin, end;
	int64_t waited_for;             /* op that recorded the event waited for; -1: none */
	char mark;                      /* '#' a launch, '=' bytes, 'E' records, 'W' waits, '.' */
};

/* Starts are not recorded: an operation begins as soon as its stream, the events it waits for and
 * the host that issues it allow. Its length is the time measured on a GPU. If a launch has no
 * measured time, as in graphs and on the simulator, time is logical: a launch or copy takes 1. */
struct view_axis {
	struct view_bar *bars;          /* [count], ascending by op */
	int64_t count, capacity;
	double end;
	bool timed;                     /* `begin` and `end` are in microseconds */
};

/* Reads the operations first <= op <= last of a step; step -1: those outside of steps. The caller
 * calls view_axis_free(), after an error too. */
enum status view_axis_read(const struct view_context *, int64_t first, int64_t last, int64_t step,
			   struct view_axis *);
void view_axis_free(struct view_axis *);
/* NULL: the operation is not on the axis. */
const struct view_bar *view_axis_find(const struct view_axis *, int64_t op);
/* Draws the bar of the operation within `columns`, indentation included; returns the width. */
int view_axis_draw(const struct view_context *, const struct view_axis *, int64_t op, int columns);

#endif
