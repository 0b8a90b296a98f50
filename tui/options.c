/* options.c - getopt_long() and option values with one-line errors; see options.h. */
#include "tui/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/command.h"
#include "tui/suggest.h"

/* The option of the table that was probably meant; NULL when none is near. */
static const char *nearest_option(const char *word, const struct option *table)
{
	struct suggestion meant = { 0 };
	char name[64];

	/* Without dashes and value. */
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	meant.word = name;
	for (; table->name != NULL; table++)
		suggestion_try(&meant, table->name);
	return meant.nearest;
}

/* A letter of getopt's own, or the word it stopped at. */
static enum status bad_option(char **argv, int c, const struct option *table)
{
	const char *what = c == ':' ? "needs a value" : "is no option here";
	const char *word = argv[optind - 1], *nearest;

	if (optopt > 0 && optopt < 256 && isprint(optopt) && strncmp(word, "--", 2) != 0)
		return fail(STATUS_USAGE, "-%c %s", optopt, what);
	if (c == ':')
		return fail(STATUS_USAGE, "%s %s", word, what);
	if (optopt > 0)
		return fail(STATUS_USAGE, "%s: this option takes no value", word);
	nearest = nearest_option(word, table);
	if (nearest != NULL)
		return fail(STATUS_USAGE, "%s %s: did you mean '--%s'?", word, what, nearest);
	return fail(STATUS_USAGE, "%s %s, or ambiguous: see --help", word, what);
}

enum status option_next(int argc, char **argv, const char *letters, const struct option *table,
			int *c)
{
	char quiet[64];

	/* The colon makes getopt tell a missing value from an unknown option, and print nothing. */
	snprintf(quiet, sizeof(quiet), ":%s", letters);
	opterr = 0;
	*c = getopt_long(argc, argv, quiet, table, NULL);
	return *c == ':' || *c == '?' ? bad_option(argv, *c, table) : STATUS_OK;
}

enum status option_none_left(int argc, char **argv)
{
	if (optind < argc)
		return fail(STATUS_USAGE, "unexpected argument '%s'", argv[optind]);
	return STATUS_OK;
}

enum status option_integer(const char *name, const char *text, int64_t least, int64_t greatest,
			   int64_t *out)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || value < least || value > greatest)
		return fail(STATUS_USAGE, "%s %s: a whole number from %lld to %lld is needed", name,
			    text, (long long)least, (long long)greatest);
	*out = value;
	return STATUS_OK;
}

enum status option_integers(const char *name, const char *text, int least, int greatest, int *out,
			    int most, int *count)
{
	char *copy = xstrdup(text), *rest = copy, *part;
	enum status status = STATUS_OK;

	*count = 0;
	while (status == STATUS_OK && (part = strsep(&rest, ",")) != NULL) {
		int64_t value = 0;

		status = option_integer(name, part, least, greatest, &value);
		if (*count < most)
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
		return fail(STATUS_USAGE, "%s %s: a whole number from 0 to %llu is needed", name,
			    text, (unsigned long long)UINT64_MAX);
	return STATUS_OK;
}

enum status option_float(const char *name, const char *text, float *out)
{
	char *end;

	*out = strtof(text, &end);
	if (end == text || *end != '\0' || !isfinite(*out))
		return fail(STATUS_USAGE, "%s %s: a number is needed", name, text);
	return STATUS_OK;
}

enum status option_level(const char *name, const char *text, enum log_level *out)
{
	if (log_level_from_name(text, out))
		return *out == LEVEL_ACCESS ? not_built_yet("--log access") : STATUS_OK;
	return fail(STATUS_USAGE, "%s %s: there are launch, partials and points", name, text);
}
