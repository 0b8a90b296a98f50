/* bench_rungs_saved.c - reads saved results of `bench --suite decode` and of other programs on the
 * same shapes, as one table.
 */
#include "config.h"

#include "tui/bench/bench_rungs.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tui/shown_json.h"

#define LIMIT ((size_t)64 << 20)

static enum status parse(const char *path, json_t **out)
{
	json_error_t error;
	size_t count;
	char *text;

	TRY(file_read(path, LIMIT, &text, &count));
	*out = json_loadb(text, count, JSON_REJECT_DUPLICATES, &error);
	free(text);
	return *out ? STATUS_OK
		: fail(STATUS_USAGE, "%s:%d: %s", path, error.line, error.text);
}

static bool is_time(const json_t *value)
{
	return !value || json_is_null(value)
		|| (json_is_number(value) && json_number_value(value) > 0);
}

/* A bar would end a cell of a Markdown table. */
static void replace_bars(json_t *row)
{
	const char *name;
	json_t *value;

	json_object_foreach(row, name, value) {
		char *bar;

		if (!json_is_string(value))
			continue;
		for (bar = strchr(json_string_value(value), '|'); bar; bar = strchr(bar, '|'))
			*bar = '/';
	}
}

static enum status check_row(const char *path, size_t number, json_t *row)
{
	static const char *const texts[] = { "shape", "kernel", "dtype" };
	static const char *const times[] = { "us", "p10", "p90" };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (!json_is_string(json_object_get(row, texts[i])))
			return fail(STATUS_USAGE, "%s: row %zu: '%s' is not a text", path, number,
				    texts[i]);
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		if (!is_time(json_object_get(row, times[i])))
			return fail(STATUS_USAGE, "%s: row %zu: '%s' is not a time above 0", path,
				    number, times[i]);
	replace_bars(row);
	return STATUS_OK;
}

/* Appends the file's rows. */
static enum status take_rows(const char *path, const json_t *file, json_t *rows)
{
	json_t *from = json_object_get(file, "rows"), *row;
	size_t i;

	if (!json_is_array(from))
		return fail(STATUS_USAGE, "%s: no 'rows': expected what bench --suite decode "
			    "--json prints", path);
	json_array_foreach(from, i, row) {
		TRY(check_row(path, i + 1, row));
		json_array_append(rows, row);
	}
	return STATUS_OK;
}

/* The first file's members stay as they are; a later file adds those that are new or different,
 * with its suite's name in front. */
static void take_about(const json_t *file, json_t *about)
{
	const char *suite = json_string_value(json_object_get(file, "suite")), *name;
	json_t *value;

	json_object_foreach(json_object_get(file, "about"), name, value) {
		json_t *before = json_object_get(about, name);
		char longer[200];

		if (before && json_equal(before, value))
			continue;
		snprintf(longer, sizeof longer, "%s%s%s", before && suite ? suite : "",
			 before && suite ? ", " : "", name);
		if (!json_object_get(about, longer))
			json_object_set(about, longer, value);
	}
}

static enum status take_file(const char *path, json_t *about, json_t *rows)
{
	enum status status;
	json_t *raw, *file;

	TRY(parse(path, &raw));
	file = shown_json(raw);
	json_decref(raw);
	status = take_rows(path, file, rows);
	if (status == STATUS_OK)
		take_about(file, about);
	json_decref(file);
	return status;
}

enum status rungs_load(char *const *files, int count, json_t **out)
{
	json_t *about = json_object(), *rows = json_array();
	enum status status = STATUS_OK;

	for (int i = 0; status == STATUS_OK && i < count; i++)
		status = take_file(files[i], about, rows);
	if (status == STATUS_OK)
		*out = json_pack("{s:s, s:O, s:O}", "suite", "decode", "about", about, "rows",
				 rows);
	json_decref(about);
	json_decref(rows);
	return status;
}
