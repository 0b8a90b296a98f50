/* formats.h - the formats that results are written in: one file and one row of the table
 * for each. */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdbool.h>
#include <stdio.h>

#include "tui/lab/result/result.h"

/* Prints a result that was redacted if it is a student's. All texts of a result are free of control
 * characters. */
typedef void format_fn(FILE *, const struct lab_result *);

struct lab_format {
	const char *name;
	format_fn *write;
	bool exit_zero;                 /* exit code 0 once the file is written */
};

/* In the order of the choices of --format. */
extern const struct lab_format lab_formats[];

format_fn format_text, format_json, format_gradescope, format_autolab, format_classroom50,
	format_junit, format_tap;

/* "3 of 5 cases"; the caller frees it. */
char *format_share(const struct part_result *, const char *what);

/* Wraps a text after a label for people. */
void format_wrapped(FILE *, int indent, const char *label, const char *text);

/* --- shared by formats --- */

#define FORMAT_TIME 32

/* Both steal the reference to the value. */
void format_put(json_t *object, const char *key, json_t *value);
void format_print_json(FILE *, json_t *, size_t flags);
/* The time in UTC: "2026-11-22T18:45:00", then `zone`. */
void format_time(char out[FORMAT_TIME], const char *zone);

#endif
