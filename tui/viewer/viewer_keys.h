/* viewer_keys.h - which key does what. */
#ifndef VIEWER_KEYS_H
#define VIEWER_KEYS_H

#include "tui/viewer/viewer_help.h"

/* All keys except those of screens; a key without an action ends the table. */
extern const struct viewer_key viewer_keys[];

/* Performs the action of the key; shows a message if the key has none here. */
void viewer_key(struct viewer *, int key);
/* Whether the key needs the rows of the screen, so that it has to be drawn first. */
bool viewer_key_on_rows(int key);
/* The key with that number, from 0, of all that have an action; 0 after the last. */
int viewer_key_number(size_t);

#endif
