/* viewer_ask.h - a line typed in. */
#ifndef VIEWER_ASK_H
#define VIEWER_ASK_H

#include "tui/viewer/viewer_state.h"

/* Asks for a line; false: it was given up. */
bool viewer_ask(struct viewer *, const char *prompt, char text[VIEWER_WORDS]);

#endif
