/* viewer_play.h - plays a step frame by frame: `.`, `,`, `<`, `>`, and on Step `s` and `S`. */
#ifndef VIEWER_PLAY_H
#define VIEWER_PLAY_H

#include "tui/viewer/viewer_state.h"

/* When the next frame is due, in ms of clock_ms(); 0: nothing plays. */
int64_t viewer_play_due(const struct viewer *);
/* Goes to the next frame, or stops after the last one. */
void viewer_play_tick(struct viewer *);
/* To be called for every key that is not of this file: frames end, the whole step is shown. */
void viewer_play_leave(struct viewer *);
void viewer_play_free(struct viewer *);
/* Whether the key plays, pauses, goes to a frame or sets the speed. */
bool viewer_play_key(const struct viewer *, int key);
/* Begins to play at the place, which is in a step. */
enum status viewer_play_begin(struct viewer *, int direction);

#endif
