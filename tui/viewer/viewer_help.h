/* viewer_help.h - a key of the viewer, when it is valid, and its help text. */
#ifndef VIEWER_HELP_H
#define VIEWER_HELP_H

#include "tui/viewer/viewer_state.h"

enum viewer_when { ALWAYS, ON_SCREEN, ON_STEP, OFF_STEP, ON_MEMORY, OFF_MEMORY, WITH_TWO };

struct viewer_key {
	int key;
	enum viewer_when when;
	enum status (*act)(struct viewer *, int key);
	const char *name, *help;        /* help NULL: an alias of the key above; name NULL: the
					 * heading of a group of keys */
};

bool viewer_key_valid(const struct viewer *, const struct viewer_key *);
/* The name of a key, written to `name`, which is returned. */
const char *viewer_key_name(int key, char name[32]);
#define VIEWER_HINT 160
/* The most useful keys at the moment: as many, two spaces apart, as fit on the columns. */
void viewer_help_hint(const struct viewer *, size_t columns, char hint[VIEWER_HINT]);

#endif
