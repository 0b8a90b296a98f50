/* viewer_break.h - breakpoints by their text. */
#ifndef VIEWER_BREAK_H
#define VIEWER_BREAK_H

#include "tui/viewer/viewer_state.h"

/* Sets a breakpoint at a kernel, line or address, or takes it away. */
enum status viewer_break(struct viewer *, const char *text);

#endif
