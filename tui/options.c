/* options.c - getopt_long() and values, both by the table of options; see options.h. */
#include "tui/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/suggest.h"

/* What getopt_long() returns for an option with a long name: this + enum option_id. */
#define FIRST_LONG 1000
/* Up to so many names a message lists all without suggesting one. */
#define FEW_NAMES 5

/* --- options --- */

/* getopt_long()'s tables for one command. */
struct getopt_tables {
	char letters[2 * OPTION_COUNT + 2];
	struct option longs[OPTION_COUNT + 1];  /* ends with an empty entry */
};

static bool takes(enum command_id command, int id)
{
	return option_table[id].commands >> command & 1;
}

static void make_tables(enum command_id command, struct getopt_tables *out)
{
	char *letter = out->letters;
	int count = 0;

	/* The colon makes getopt tell a missing value from an unknown option, and print nothing. */
	*letter++ = ':';
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_row *row = &option_table[id];

		if (!takes(command, id))
			continue;
		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->kind != KIND_NONE)
			*letter++ = ':';
		if (row->name)
			out->longs[count++] = (struct option){
				row->name, row->kind == KIND_NONE ? no_argument :
				row->optional ? optional_argument : required_argument,
				NULL, FIRST_LONG + id,
			};
	}
	*letter = '\0';
	out->longs[count] = (struct option){ 0 };
}

/* "--chunk", "-n". */
static void show_name(const struct option_row *row, char *out, size_t size)
{
	if (row->name)
		snprintf(out, size, "--%s", row->name);
	else
		snprintf(out, size, "-%c", row->letter);
}

/* A long option that getopt_long() found to be none, or the beginning of several. */
static enum status unknown_long(const char *word, const struct option *table)
{
	struct suggestion meant = { 0 };
	int length = (int)strcspn(word, "="), begins = 0;
	char *name = xasprintf("%.*s", length - 2, word + 2);

	meant.word = name;
	for (; table->name; table++) {
		begins += strncmp(table->name, name, strlen(name)) == 0;
		suggestion_try(&meant, table->name);
	}
	free(name);
	if (begins > 1)
		return fail(STATUS_USAGE, "ambiguous option %.*s: see --help", length, word);
	if (meant.nearest)
		return fail(STATUS_USAGE, "unknown option %.*s: did you mean '--%s'?", length, word,
			    meant.nearest);
	return fail(STATUS_USAGE, "unknown option %.*s: see --help", length, word);
}

/* c is getopt_long()'s ':' or '?', which says in optopt and argv[optind - 1] what was wrong. */
static enum status bad_option(char **argv, int c, const struct option *table)
{
	const char *word = argv[optind - 1];

	if (optopt > 0 && optopt < 256 && isprint(optopt) && strncmp(word, "--", 2) != 0)
		return c == ':' ? fail(STATUS_USAGE, "-%c needs a value", optopt)
			: fail(STATUS_USAGE, "unknown option -%c: see --help", optopt);
	if (c == ':')
		return fail(STATUS_USAGE, "%s needs a value", word);
	if (optopt > 0)
		return fail(STATUS_USAGE, "%.*s takes no value", (int)strcspn(word, "="), word);
	return unknown_long(word, table);
}

static int find_letter(enum command_id command, int letter)
{
	int id = 0;

	while (option_table[id].letter != letter || !takes(command, id))
		id++;
	return id;
}

/* --- values --- */

static const char *shown(const char *text)
{
	return *text ? text : "nothing";
}

enum status option_none_left(int argc, char **argv, int rest)
{
	if (rest < argc)
		return fail(STATUS_USAGE, "unexpected argument '%s'", argv[rest]);
	return STATUS_OK;
}

enum status option_integer(const char *name, const char *text, int64_t min, int64_t max,
			   int64_t *out)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || value < min || value > max)
		return fail(STATUS_USAGE, "%s: expected an integer from %lld to %lld, got %s", name,
			    (long long)min, (long long)max, shown(text));
	*out = value;
	return STATUS_OK;
}

enum status option_integers(const char *name, const char *text, int min, int max, int *out,
			    int capacity, int *count)
{
	char *copy = xstrdup(text), *rest = copy, *part;
	enum status status = STATUS_OK;

	*count = 0;
	while (status == STATUS_OK && (part = strsep(&rest, ",")) != NULL) {
		int64_t value = 0;

		status = option_integer(name, part, min, max, &value);
		if (*count < capacity)
			out[*count] = (int)value;
		++*count;
	}
	free(copy);
	return status;
}

enum status option_u64(const char *name, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end != '\0' || errno != 0)
		return fail(STATUS_USAGE, "%s: expected an integer from 0 to %llu, got %s", name,
			    (unsigned long long)UINT64_MAX, shown(text));
	return STATUS_OK;
}

static enum status parse_float(const char *name, const char *text, float *out)
{
	char *end;

	errno = 0;
	*out = strtof(text, &end);
	if (end == text || *end != '\0' || isnan(*out))
		return fail(STATUS_USAGE, "%s: expected a number, got %s", name, shown(text));
	if (isinf(*out) || (*out == 0.0f && errno == ERANGE))
		return fail(STATUS_USAGE, "%s: expected a number in the range of float, got %s",
			    name, shown(text));
	return STATUS_OK;
}

char *option_list_names(const char *names)
{
	char *list = xstrdup("");
	const char *name, *at = names;
	int length;

	while ((name = option_name_next(&at, &length)) != NULL) {
		bool last = at[strspn(at, " ")] == '\0';
		char *longer = xasprintf("%s%s%.*s", list, !*list ? "" : last ? " or " : ", ",
					 length, name);

		free(list);
		list = longer;
	}
	return list;
}

/* The nearest of the names; the caller frees. NULL when none is near. */
static char *nearest_name(const char *names, const char *text)
{
	struct suggestion meant = { .word = text };
	char *copy = xstrdup(names), *rest = copy, *name, *nearest;

	while ((name = strsep(&rest, " ")) != NULL)
		if (*name)
			suggestion_try(&meant, name);
	nearest = meant.nearest ? xstrdup(meant.nearest) : NULL;
	free(copy);
	return nearest;
}

static enum status parse_name(const char *option, const struct option_row *row, const char *text,
			      int *out)
{
	const char *name, *at = row->names;
	char *list, *nearest;
	enum status status;
	int length;

	for (*out = 0; (name = option_name_next(&at, &length)) != NULL; ++*out)
		if (strlen(text) == (size_t)length && memcmp(name, text, (size_t)length) == 0)
			return STATUS_OK;
	list = option_list_names(row->names);
	nearest = *out > FEW_NAMES ? nearest_name(row->names, text) : NULL;
	status = fail(STATUS_USAGE, "%s: expected %s, got %s%s%s%s", option, list, shown(text),
		      nearest ? ": did you mean '" : "", nearest ? nearest : "",
		      nearest ? "'?" : "");
	free(list);
	free(nearest);
	return status;
}

static enum status parse_value(struct option_value *value)
{
	const struct option_row *row = &option_table[value->id];
	char name[64];

	show_name(row, name, sizeof name);
	value->choice = -1;
	if (!value->text)
		return STATUS_OK;
	switch (row->kind) {
	case KIND_INTEGER:
		return option_integer(name, value->text, row->min, row->max, &value->integer);
	case KIND_UNSIGNED: return option_u64(name, value->text, &value->u64);
	case KIND_FLOAT: return parse_float(name, value->text, &value->number);
	case KIND_NAME: return parse_name(name, row, value->text, &value->choice);
	case KIND_NONE:
	case KIND_TEXT:
	case KIND_FILE:
	case KIND_DIRECTORY:
	case KIND_LIST: break;
	}
	return STATUS_OK;
}

enum status options_parse(enum command_id command, int argc, char **argv, option_take_fn *take,
			  void *context, int *rest)
{
	struct getopt_tables tables;
	int c;

	make_tables(command, &tables);
	opterr = 0;
	optind = 0;                     /* from the start: a command may run another one */
	while ((c = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
		struct option_value value = { .text = optarg };

		if (c == ':' || c == '?')
			return bad_option(argv, c, tables.longs);
		value.id = (enum option_id)(c >= FIRST_LONG ? c - FIRST_LONG
							    : find_letter(command, c));
		TRY(parse_value(&value));
		TRY(take(context, &value));
	}
	*rest = optind;
	return STATUS_OK;
}
