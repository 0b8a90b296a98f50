/* diff_text.h - a comparison as text and as JSON, for every command that compares runs. */
#ifndef DIFF_TEXT_H
#define DIFF_TEXT_H

#include <jansson.h>
#include <stdint.h>

#include "traces/diff/diff.h"

#define COUNT_TEXT 32
/* "1,580"; returns `out`. */
const char *count_text(char out[COUNT_TEXT], int64_t count);

/* "3,160 buffers, 7,584 partials and 210,000 named points compared, 0 bits differ", without what
 * was not recorded. The caller frees it. */
char *diff_summary(const struct diff_report *);
/* How the rows were compared: "all rows read: ", or "110,144 points by verified sums, other rows
 * read: ". The caller frees it. */
char *diff_coverage(const struct diff_report *);
json_t *diff_json(const struct diff_report *);

#endif
