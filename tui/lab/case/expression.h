/* expression.h - evaluates the expressions of lab.json: numbers, names, + - * / %, functions.
 *
 * Everything is a double; a caller that needs an integer uses expression_integer(). */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define MAX_NAMES 32

/* What names stand for: the sizes of a case, and the counter of a repeated launch. */
struct names {
	const char *name[MAX_NAMES];    /* not owned */
	double value[MAX_NAMES];
	int count;
};

/* Adds a name, or replaces its value. INTERNAL if there are too many. */
enum status names_set(struct names *, const char *name, double value);
/* False if there is no such name. */
bool names_get(const struct names *, const char *name, double *out);

/* `value` is a number or a string. INTERNAL, naming `what` and the place, if it is neither, or does
 * not parse, or has an unknown name. */
enum status expression_value(const json_t *value, const struct names *, const char *what,
			     double *out);
/* INTERNAL too if the result is not an integer from `min` to `max`. */
enum status expression_integer(const json_t *value, const struct names *, const char *what,
			       int64_t min, int64_t max, int64_t *out);

#endif
