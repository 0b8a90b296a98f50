/* viewer_work.h - what a key does may take long: it says so, and any key stops it. */
#ifndef VIEWER_WORK_H
#define VIEWER_WORK_H

#include "tui/viewer/viewer_state.h"

/* Around what a key does and the drawing of its screen: queries that take long say so, and are
 * INTERRUPTED when a key is pressed. */
void viewer_work_begin(struct viewer *);
void viewer_work_end(struct viewer *);
/* On to the screen after work that was stopped. */
void viewer_work_resume(struct viewer *);
/* Whether the user has stopped it. For loops that may take long, at each turn. */
bool viewer_work_stopped(struct viewer *);
/* What may be done while nobody types; true: the screen is to be drawn again. */
bool viewer_work_idle(struct viewer *);
/* Waits for a key, which is no work. TERM_LOST quits. */
int viewer_wait_key(struct viewer *);
/* Of a clock that only goes forward. */
int64_t viewer_now_ms(void);

#endif
