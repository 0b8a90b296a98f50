/* log_at.h - the windows of --log-at: which steps, or which launches, are recorded.
 *
 * Parses windows and tests whether a step or launch is in one; the recorder opens and closes them.
 * A trace stores the text, so that diff knows what a run left out. Used by the recorder and diff.
 */
#ifndef LOG_AT_H
#define LOG_AT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct row_op;

struct log_window {
	int64_t first, last;            /* inclusive */
};

struct log_at {
	char unit;                      /* 's' steps, 'L' launches, 0: everything is recorded */
	struct log_window *windows;     /* ascending, disjoint; owned */
	int count;
};

/* "s0..s63,s883" or "L0..L9"; NULL: everything. USAGE, naming the part that is wrong. */
enum status log_at_parse(const char *text, struct log_at *out);
/* `number` is a step or launch number, depending on unit. */
bool log_at_holds(const struct log_at *, int64_t number);
void log_at_free(struct log_at *);
/* True for an operation that is recorded outside the windows too, because rows inside refer to
 * it. */
bool log_at_keeps(const struct row_op *);

#endif
