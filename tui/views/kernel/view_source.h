/* view_source.h - the place that the source screen shows. Outside of that screen, use only
 * view_source_line(). */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "tui/views/kernel/kernel_text.h"
#include "tui/views/view_place.h"

struct source {
	const struct view_place *place;
	int64_t thread, threads;        /* numbered in the whole grid; per block */
	int64_t point;                  /* of the address, -1: none */
	char name[32];                  /* of that point */
	int64_t nth;                    /* how often the thread passed that name before */
	bool own;                       /* a kernel of ours, see view_own_points() */
	struct kernel_text text;
	int file, home_file;            /* shown; and that of the place itself: its point's, or */
	int64_t line, home_line;        /* where the kernel begins. 0: there is no text */
};

/* The file and line that the source screen is at. *found is false if no text was recorded. */
enum status view_source_line(const struct view_context *, char *file, size_t size, int64_t *line,
			     bool *found);

/* Draws which lanes of the block reached the point, and what is known about barriers. In
 * view_source_lanes.c. */
enum status source_lanes_draw(const struct view_context *, const struct source *);

#endif
