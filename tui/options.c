/* options.c - getopt_long() and option values with one-line errors; see options.h. */
#include "tui/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A letter of getopt's own, or the word it stopped at. */
static enum status bad_option(char **argv, int c)
{
	const char *what = c == ':' ? "needs a value" : "is no option here, or ambiguous";
	const char *word = argv[optind - 1];

	if (optopt > 0 && optopt < 256 && isprint(optopt) && strncmp(word, "--", 2) != 0)
		return fail(STATUS_USAGE, "-%c %s", optopt, what);
	return fail(STATUS_USAGE, "%s %s", word, what);
}

enum status option_next(int argc, char **argv, const char *letters, const struct option *table,
			int *c)
{
	char quiet[64];

	/* The colon makes getopt tell a missing value from an unknown option, and print nothing. */
	snprintf(quiet, sizeof(quiet), ":%s", letters);
	opterr = 0;
	*c = getopt_long(argc, argv, quiet, table, NULL);
	return *c == ':' || *c == '?' ? bad_option(argv, *c) : STATUS_OK;
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
	static const char *const levels[] = {
#define X(name, text) text,
		LEVEL_LIST(X)
#undef X
	};

	for (int i = 0; i < LEVEL_COUNT; i++)
		if (strcmp(text, levels[i]) == 0) {
			*out = (enum log_level)i;
			return STATUS_OK;
		}
	return fail(STATUS_USAGE, "%s %s: there are launch, partials, points and access", name,
		    text);
}
