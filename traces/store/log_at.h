/* log_at.h - the windows of --log-at: which steps, launches, or blocks of launches, are recorded.
 *
 * Parses windows and tests whether a step or launch is in one; the recorder opens and closes them.
 * A trace stores the text, so that diff knows what a run left out. Used by the recorder and diff.
 */
#ifndef LOG_AT_H
#define LOG_AT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct block_range;     /* traces/row.h */
struct row_op;

struct log_window {
	int64_t first, last;            /* inclusive */
};

struct log_at {
	char unit;                      /* 's' steps, 'L' launches, 0: everything is recorded */
	/* Ascending, and disjoint but for blocks of one launch; owned. */
	struct log_window *windows;
	struct block_range *blocks;     /* [count] of the windows' launches; NULL: all. Owned */
	int count;
};

/* "s0..s63,s883", "L0..L9" or "L4.b0..L4.b7"; NULL: everything. USAGE, naming the part that is
 * wrong. */
enum status log_at_parse(const char *text, struct log_at *out);
/* `number` is a step or launch number, depending on unit. */
bool log_at_holds(const struct log_at *, int64_t number);
/* The blocks of a launch, as *out; returns how many ranges, 0 if no window names blocks of it. */
int log_at_blocks(const struct log_at *, int64_t launch, const struct block_range **out);
void log_at_free(struct log_at *);
/* True for an operation that is recorded outside the windows too, because rows inside refer to
 * it. */
bool log_at_keeps(const struct row_op *);

#endif
