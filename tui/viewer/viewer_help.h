/* viewer_help.h - a key of the viewer, when it is valid, and what is said of it. */
#ifndef VIEWER_HELP_H
#define VIEWER_HELP_H

#include "tui/viewer/viewer_state.h"

enum viewer_when { ALWAYS, ON_SCREEN, WITH_TWO };

struct viewer_key {
	int key;
	enum viewer_when when;
	enum status (*act)(struct viewer *, int key);
	const char *name, *help;        /* help NULL: another spelling of the key before */
};

bool viewer_key_valid(const struct viewer *, const struct viewer_key *);
/* What a key is called; room is for one that has no name. */
const char *viewer_key_name(int key, char room[32]);
/* The keys that matter most now, in one line. */
const char *viewer_help_hint(const struct viewer *);

#endif
