/* point_text.h - points that one run has and the other cannot have, because its kernel is older.
 *
 * A kernel may get new named points, and traces recorded before must still compare as equal. Which
 * points a kernel publishes is read from its text in the trace: the number of places with
 * POINT(name, outside of comments and strings. A launch is not expected to have a point if it has
 * none of that name and its kernel's text has fewer places for it than the other run's. Used by
 * diff_points.c and diff_spot.c.
 */
#ifndef POINT_TEXT_H
#define POINT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;
struct point_text;

/* Reads nothing yet. The stores must outlive the result. */
struct point_text *point_text_new(struct store *const store[2], const int64_t run[2]);
void point_text_free(struct point_text *);      /* NULL is allowed */

/* Whether the launch of run `side`, which lacks a point of that name where the other run has one,
 * is not expected to have it. *kernel is its kernel's name, valid until the next call. */
enum status point_text_lacks(struct point_text *, int side, int64_t launch, const char *name,
			     bool *lacks, const char **kernel);

/* How many places of the text publish points called `name`. */
int point_text_count(const char *text, const char *name);

#endif
