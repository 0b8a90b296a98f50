/* viewer_screens.h - the screens with their keys, and the keys with what they do: the tables that
 * help is written from. */
#ifndef VIEWER_SCREENS_H
#define VIEWER_SCREENS_H

#include "tui/viewer/viewer_walk.h"

struct viewer_screen {
	char key;
	const char *tab;
	const struct view *view;        /* NULL: end of the table */
	enum walk_grain grain;          /* of moving on behind the last row */
};

extern const struct viewer_screen viewer_screens[];
/* Of a view; the timeline's for a view without a key. */
const struct viewer_screen *viewer_screen_of(const struct view *);

#endif
