/* formats.c - the table of formats; see formats.h.
 *
 * --format in tui/option_list.h has the same names in the same order. */
#include "tui/lab/result/formats.h"

#include <stdlib.h>
#include <time.h>

#include "base/visible.h"
#include "base/xalloc.h"

const struct lab_format lab_formats[] = {
	{ "text", format_text, false },
	{ "json", format_json, false },
	/* Gradescope takes any other exit code for an autograder that failed. */
	{ "gradescope", format_gradescope, true },
	{ "autolab", format_autolab, false },
	{ "classroom50", format_classroom50, false },
	{ "junit", format_junit, false },
	{ "tap", format_tap, false },
};

void format_put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

void format_print_json(FILE *out, json_t *json, size_t flags)
{
	char *text = xcheck(json_dumps(json, flags | JSON_REAL_PRECISION(9)));

	visible_print_json(out, text);
	putc('\n', out);
	free(text);
	json_decref(json);
}

void format_time(char out[FORMAT_TIME], const char *zone)
{
	time_t now = time(NULL);
	struct tm utc = { 0 };
	size_t length;

	gmtime_r(&now, &utc);
	length = strftime(out, FORMAT_TIME, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(out + length, FORMAT_TIME - length, "%s", zone);
}
