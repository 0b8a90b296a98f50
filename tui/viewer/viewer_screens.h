/* viewer_screens.h - the table of screens, with their keys and tabs.
 *
 * Used by the viewer and by the HTML export. */
#ifndef VIEWER_SCREENS_H
#define VIEWER_SCREENS_H

#include "tui/viewer/viewer_walk.h"

struct viewer_screen {
	char key;
	const char *tab;
	const struct view *view;        /* NULL: end of the table */
	enum walk_grain grain;          /* of a step past the first or last row */
	const char *hint;               /* its keys, the most useful first */
};

extern const struct viewer_screen viewer_screens[];
/* The entry of a view; the timeline's for a view without a key. */
const struct viewer_screen *viewer_screen_of(const struct view *);

#endif
