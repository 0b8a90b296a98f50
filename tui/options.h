/* options.h - parses a command's arguments by the table of options, with one-line errors.
 *
 * Unknown options, missing values and values that the table rules out are reported here; which
 * options go together is up to the command. Used by every command.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "tui/option_table.h"

/* An option as given. */
struct option_value {
	enum option_id id;
	const char *text;               /* its value as typed, in argv; NULL: none */
	int64_t integer;                /* KIND_INTEGER */
	uint64_t u64;                   /* KIND_UNSIGNED */
	float number;                   /* KIND_FLOAT */
	int choice;                     /* KIND_NAME: which of row->names; -1: no value */
};
typedef enum status option_take_fn(void *context, const struct option_value *);

/* Calls take for every option of the command, in order. The other arguments are left at the end,
 * from argv[*rest] on. USAGE, naming it, for an unknown option, one without its value, or a value
 * that the table rules out; else take's first error. */
enum status options_parse(enum command_id command, int argc, char **argv, option_take_fn *take,
			  void *context, int *rest);
/* USAGE when arguments are left from argv[rest] on. */
enum status option_none_left(int argc, char **argv, int rest);

/* "a, b or c" of a row's names; the caller frees. */
char *option_list_names(const char *names);
/* Prints the command's options as its --help lists them, with a heading for each group. */
void options_print(FILE *out, enum command_id command);

/* Other values; `name` is what messages call it. USAGE with the limits and the text. */
enum status option_integer(const char *name, const char *text, int64_t min, int64_t max,
			   int64_t *out);
/* Numbers separated by commas, the first `capacity` of them into out; *count says how many came. */
enum status option_integers(const char *name, const char *text, int min, int max, int *out,
			    int capacity, int *count);
enum status option_u64(const char *name, const char *text, uint64_t *out);

#endif
