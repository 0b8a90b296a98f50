/* failure.h - why a case lost points: what, where, why, what to look at next. */
#ifndef FAILURE_H
#define FAILURE_H

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>

enum failure_by { BY_OUTPUT, BY_INVARIANT, BY_CHECKER, BY_STRUCTURE, BY_COUNT };
extern const char *const failure_names[BY_COUNT];

/* A failure is a JSON object, because it comes from another process and goes to reports: "by",
 * "what" (with values), "where" (an address of the trace; optional), "why", "next", "kind" (what
 * it is without values). All but "where" must be texts. */
json_t *failure_new(enum failure_by, const char *kind, const char *why, const char *next,
		    const char *what, ...) __attribute__((format(printf, 5, 6)));
void failure_where(json_t *failure, const char *address, ...) __attribute__((format(printf, 2, 3)));
enum failure_by failure_by(const json_t *failure);
/* A text of a failure, or "". */
const char *failure_text(const json_t *failure, const char *key);

#endif
