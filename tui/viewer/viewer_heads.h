/* viewer_heads.h - the head and slot shown last; the keys are in viewer_actions.h. */
#ifndef VIEWER_HEADS_H
#define VIEWER_HEADS_H

#include "tui/viewer/viewer_state.h"

/* Remembers the head and slot of the place, for places that name none. */
void viewer_note_head(struct viewer *);

#endif
