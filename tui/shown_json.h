/* shown_json.h - a JSON value whose texts are safe to print. Used where a command prints what a
 * trace says as text. */
#ifndef SHOWN_JSON_H
#define SHOWN_JSON_H

#include <jansson.h>

/* A copy with visible escapes in all strings (base/visible.h); the caller decrefs it. */
json_t *shown_json(const json_t *);

#endif
