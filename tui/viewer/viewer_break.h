/* viewer_break.h - toggles a breakpoint given as text. */
#ifndef VIEWER_BREAK_H
#define VIEWER_BREAK_H

#include "tui/viewer/viewer_state.h"

/* Sets a breakpoint at a kernel, line or address, or removes it if it is set. */
enum status viewer_break(struct viewer *, const char *text);

#endif
