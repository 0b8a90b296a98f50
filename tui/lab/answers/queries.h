/* queries.h - runs a student's SQL on a trace, in a sandbox and within limits. */
#ifndef QUERIES_H
#define QUERIES_H

#include <jansson.h>

#include "tui/launch/sandbox.h"

/* Runs `count` queries; an empty one is left out. *out is a list with an object for each: "value"
 * (a text) or "error" (one line), or neither if it was left out; the caller decrefs it. INTERNAL or
 * INTERRUPTED. */
enum status queries_run(const char *trace, enum sandbox_mode, const char *const *queries,
			int count, json_t **out);

#endif
