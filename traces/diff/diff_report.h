/* diff_report.h - collects the differences of two runs, and puts them in the order of the run.
 *
 * Used by all passes of the comparison.
 */
#ifndef DIFF_REPORT_H
#define DIFF_REPORT_H

#include "traces/diff/diff_state.h"

/* A place to report, formatted only when something differs there. */
struct diff_place {
	int64_t op;
	enum diff_pass pass;
	char address[64];
};

/* Whether the place is left out: options.leave_out has it. Otherwise options.collect receives it.
 * index: of a value of an array; -1: none. */
bool diff_varies(struct diff *, const struct diff_place *, const char *name, int64_t index);
/* Counts one difference, and keeps it if it is among the first of its pass, unless the place is
 * left out. `item` has everything but the address. */
void diff_add(struct diff *, const struct diff_place *, const struct diff_item *);
/* The same for a place that diff_varies() was asked of. */
void diff_add_known(struct diff *, const struct diff_place *, const struct diff_item *);
/* "missing in B" for a row that only `side` (0 or 1) has. */
void diff_missing(struct diff *, const struct diff_place *, const char *what, int side);
/* printf into report->notes, as a line of its own. */
void diff_note(struct diff *, const char *format, ...) __attribute__((format(printf, 2, 3)));
const struct diff_buffer *diff_buffer(const struct diff *, uint32_t id);
/* Copies the first of all that were kept to the report. */
void diff_report_found(struct diff *);

#endif
