/* viewer_keys.h - which key does what. */
#ifndef VIEWER_KEYS_H
#define VIEWER_KEYS_H

#include "tui/viewer/viewer_help.h"

/* All but those of screens; the last has no action. */
extern const struct viewer_key viewer_keys[];

/* Does what the key is for; an unknown one says so. */
void viewer_key(struct viewer *, int key);
/* Key number 0, 1, ... of all that do something; 0 behind the last. */
int viewer_key_number(size_t);

#endif
