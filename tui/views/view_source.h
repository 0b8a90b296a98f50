/* view_source.h - the place that the screen of sources shows. Only its line is for others than the
 * parts of that screen. */
#ifndef VIEW_SOURCE_H
#define VIEW_SOURCE_H

#include "tui/views/kernel_text.h"
#include "tui/views/view_place.h"

struct source {
	const struct view_place *place;
	int64_t thread, threads;        /* counted through the grid; of a block */
	int64_t point;                  /* of the address, -1: none */
	char name[32];                  /* of that point */
	int64_t nth;                    /* how many of that name the thread passed before it */
	bool own;                       /* points are the project's */
	struct kernel_text text;
	int file, home_file;            /* shown; and that of the place itself: its point's, or */
	int64_t line, home_line;        /* where the kernel begins. 0: there is no text */
};

/* Finds what the address means; close it in any case. USAGE for a line that is not there. */
enum status source_open(const struct view_context *, struct view_place *, struct source *,
			bool *found);
void source_close(struct source *);

/* The file and line that the screen of sources is at; *found false: no text was recorded. */
enum status view_source_line(const struct view_context *, char *file, size_t size, int64_t *line,
			     bool *found);

/* view_source_lanes.c: which lanes of the block came to the point, and what is known of
 * barriers. */
enum status source_lanes_draw(const struct view_context *, const struct source *);

#endif
