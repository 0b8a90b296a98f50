/* verify.h - checks everything in a trace that something else in it determines.
 *
 * The structure of the file, the sums of its tables, stored bytes and their hashes, digests, and
 * columns that were computed from others. Used by `flashtwin verify`.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

struct verify_report {
	int64_t runs, sums, rows;       /* sums that matched, and the rows that they cover */
	int64_t bytes;                  /* stored bytes, whose hashes match */
	int64_t wrong;                  /* checks that failed */
	int64_t warnings;               /* what has no sum */
};

/* One line about something wrong, or a warning. */
typedef void verify_line_fn(void *context, bool wrong, const char *text);

/* STATUS_OK also if something is wrong: see report->wrong. IO, or INTERRUPTED. */
enum status verify_trace(struct store *, verify_line_fn *line, void *context,
			 struct verify_report *report);

#endif
