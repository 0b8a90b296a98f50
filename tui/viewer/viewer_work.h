/* viewer_work.h - work of keys that may take long: shows a message, and any key stops it. */
#ifndef VIEWER_WORK_H
#define VIEWER_WORK_H

#include "tui/viewer/viewer_state.h"

/* Call these around a key's action and the drawing of its screen: long queries show a message, and
 * fail with INTERRUPTED when a key is pressed. */
void viewer_work_begin(struct viewer *);
void viewer_work_end(struct viewer *);
/* Continues with drawing after work was stopped. */
void viewer_work_resume(struct viewer *);
/* Whether the user has stopped the work. Long loops call it on each iteration. */
bool viewer_work_stopped(struct viewer *);
/* Background work until a key is pressed; true: the screen must be drawn again. */
bool viewer_work_idle(struct viewer *);
/* Waits for a key; the wait does not count as work. TERM_LOST quits. */
int viewer_wait_key(struct viewer *);

#endif
