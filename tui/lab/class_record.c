/* class_record.c - what is kept of each submission, and the table made of it; see class_list.h.
 *
 * A record is the staff's JSON of a result with three more keys: "state", "input" and "message".
 */
#include "tui/lab/class_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/visible.h"
#include "base/xalloc.h"
#include "tui/lab/result/formats.h"

const char *const class_state_names[CLASS_STATES] = {
	"passed", "failed", "does-not-compile", "no-file", "fault", "missing"
};

static const char *text_of(const json_t *record, const char *key)
{
	const char *text = json_string_value(json_object_get(record, key));

	return text ? text : "";
}

/* --- one record --- */

enum class_state class_record_read(const char *out, const struct class_student *s, json_t **record)
{
	char *path = xasprintf("%s/%s.json", out, s->id);
	enum class_state state = CLASS_PASSED;

	*record = json_load_file(path, 0, NULL);
	free(path);
	while (state < CLASS_MISSING
	       && strcmp(class_state_names[state], text_of(*record, "state")) != 0)
		state++;
	if (state == CLASS_MISSING || strcmp(text_of(*record, "input"), s->input) != 0) {
		json_decref(*record);
		*record = NULL;
		return CLASS_MISSING;
	}
	return state;
}

static json_t *result_json(const struct lab_result *r)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	json_t *json;

	xcheck(out);
	format_json(out, r);
	fclose(out);
	json = json_loads(xcheck(text), 0, NULL);
	free(text);
	return json;
}

enum status class_record_write(const char *out, const struct class_student *s,
			       enum class_state state, const struct lab_result *result,
			       const char *message)
{
	json_t *record = result ? result_json(result) : json_object();
	char *path = xasprintf("%s/%s.json", out, s->id), *text;
	struct output output;
	enum status status;

	if (!result)
		json_object_set_new(record, "student", json_string(s->id));
	json_object_set_new(record, "state", json_string(class_state_names[state]));
	json_object_set_new(record, "input", json_string(s->input));
	json_object_set_new(record, "message", json_string(message));
	text = record ? json_dumps(record, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : NULL;
	json_decref(record);
	status = text ? output_open(path, &output)
		: fail(STATUS_INTERNAL, "%s: the result is not JSON", s->id);
	if (status == STATUS_OK) {
		visible_print_json(output.file, text);
		putc('\n', output.file);
		status = output_commit(&output);
	}
	free(text);
	free(path);
	return status;
}

/* --- the table --- */

/* A spreadsheet takes a value that begins with one of these as a formula. */
static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	if (*text && strchr("=+-@\t", *text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	fputc('"', out);
}

static void put_points(FILE *out, const json_t *record)
{
	const json_t *parts = json_object_get(record, "parts");

	for (int i = 0; i < PART_COUNT; i++) {
		const json_t *part = json_object_get(parts, lab_part_names[i]);

		putc(',', out);
		if (json_is_true(json_object_get(part, "graded")))
			fprintf(out, "%.6g", json_number_value(json_object_get(part, "points")));
	}
	if (parts)
		fprintf(out, ",%.6g,%.6g", json_number_value(json_object_get(record, "points")),
			json_number_value(json_object_get(record, "max")));
	else
		fputs(",,", out);
}

/* No points are different from 0 points: a fault of the grader, or nothing to grade. */
static void put_row(FILE *out, const char *folder, const struct class_student *s)
{
	json_t *record;
	enum class_state state = class_record_read(folder, s, &record);

	put_text(out, s->id);
	put_points(out, record);
	fprintf(out, ",%s,", class_state_names[state]);
	put_text(out, text_of(record, "message"));
	putc('\n', out);
	json_decref(record);
}

enum status class_table_write(const char *folder, const struct class_list *list)
{
	char *path = xasprintf("%s/grades.csv", folder);
	struct output output;
	enum status status = output_open(path, &output);

	free(path);
	TRY(status);
	fputs("student", output.file);
	for (int i = 0; i < PART_COUNT; i++)
		fprintf(output.file, ",%s", lab_part_names[i]);
	fputs(",total,max,state,message\n", output.file);
	for (int i = 0; i < list->count; i++)
		put_row(output.file, folder, &list->students[i]);
	return output_commit(&output);
}
