/* viewer_ask.h - reads a line that the user types. */
#ifndef VIEWER_ASK_H
#define VIEWER_ASK_H

#include "tui/viewer/viewer_state.h"

/* Reads a line; false: the user cancelled, or typed nothing. */
bool viewer_ask(struct viewer *, const char *prompt, char text[VIEWER_INPUT]);

#endif
