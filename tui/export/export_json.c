/* export_json.c - a trace, or one place and screen of it, as JSON for programs.
 *
 * {"schema": 1, ...}: members may be added, but existing ones never change. The rows are those of
 * the v_* views, so traces/store/schema.sql documents every field; they are streamed, because a
 * trace may be larger than memory. Leaves out named points, loads, stores and stored bytes, which
 * `flashtwin sql` and --as npz have.
 */
#include "config.h"

#include "tui/export/export.h"

#include <inttypes.h>

#include "base/visible.h"
#include "tui/views/sql_print.h"

#define SCHEMA 1

/* --- rows of a place --- */

/* Runs ?1 to ?2, operations ?3 to ?4, launches ?5 to ?6, steps ?7 to ?8. The ranges of a whole
 * trace begin at -1, which coalesce() gives rows without an operation. */
#define RUNS "run BETWEEN ?1 AND ?2"
#define OPS RUNS " AND coalesce(op, -1) BETWEEN ?3 AND ?4"
#define LAUNCHES RUNS " AND launch BETWEEN ?5 AND ?6"
#define STEPS RUNS " AND step BETWEEN ?7 AND ?8"

static const struct {
	const char *name, *sql;
} parts[] = {
	{ "runs", "SELECT * FROM v_run WHERE " RUNS " ORDER BY run" },
	{ "models", "SELECT * FROM v_model WHERE " RUNS " ORDER BY run" },
	{ "attentions", "SELECT * FROM v_attention WHERE " RUNS " ORDER BY run, attention" },
	{ "tokens", "SELECT * FROM v_token WHERE " STEPS " ORDER BY run, slot, position, step" },
	{ "steps", "SELECT * FROM v_step WHERE " STEPS " ORDER BY run, step, first_op" },
	{ "operations", "SELECT * FROM v_op WHERE " OPS " ORDER BY run, op" },
	{ "launches", "SELECT * FROM v_launch WHERE " LAUNCHES " ORDER BY run, launch" },
	{ "args", "SELECT * FROM v_arg WHERE " OPS " ORDER BY run, op, position" },
	{ "nodes", "SELECT * FROM v_node WHERE " OPS " ORDER BY run, op" },
	{ "buffers", "SELECT * FROM v_buffer WHERE " RUNS " ORDER BY run, op" },
	{ "digests", "SELECT * FROM v_digest WHERE " OPS " ORDER BY run, op, after_step, entry" },
	{ "kv", "SELECT * FROM v_kv WHERE " OPS
		" ORDER BY run, op, tensor, slot, position, kv_head" },
	{ "softmaxes", "SELECT * FROM v_softmax WHERE " OPS " ORDER BY run, op" },
	{ "partials", "SELECT * FROM v_partial WHERE " LAUNCHES
		" ORDER BY run, launch, slot, head, chunk" },
	{ "reductions", "SELECT * FROM v_reduce WHERE " LAUNCHES
		" ORDER BY run, launch, slot, head, sequence" },
	{ "counters", "SELECT * FROM v_counter WHERE " LAUNCHES " ORDER BY run, launch" },
	{ "findings", "SELECT * FROM v_finding WHERE " OPS " ORDER BY run, finding" },
};

static enum status put_rows(const struct export_job *job, const struct export_scope *s,
			    const char *sql)
{
	const int64_t values[] = {
		s->first_run, s->last_run, s->first_op, s->last_op, s->first_launch,
		s->last_launch, s->first_step, s->last_step
	};
	sqlite3_stmt *rows = NULL;
	enum status status;

	if (sqlite3_prepare_v2(store_db(job->store), sql, -1, &rows, NULL) != SQLITE_OK)
		return store_read_failed(job->store);
	for (int i = 0; i < sqlite3_bind_parameter_count(rows); i++)
		sqlite3_bind_int64(rows, i + 1, values[i]);
	status = sql_print(rows, SQL_JSON, job->out);
	sqlite3_finalize(rows);
	return status;
}

static enum status put_parts(const struct export_job *job)
{
	struct export_scope scope;

	TRY(export_scope_find(job, &scope));
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		fprintf(job->out, ",\n\"%s\": ", parts[i].name);
		TRY(put_rows(job, &scope, parts[i].sql));
	}
	return STATUS_OK;
}

/* --- the screen --- */

static void put_value(FILE *out, const char *name, json_t *value)
{
	fprintf(out, ",\n\"%s\": ", name);
	json_dumpf(value, out, JSON_ENCODE_ANY | JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(value);
}

/* Styles, each with its first character: [[0, "title"], [12, "plain"]]. */
static json_t *spans_value(const struct display_line *line)
{
	json_t *spans = json_array();

	for (size_t i = 0; i < line->span_count; i++) {
		const struct display_span *span = &line->spans[i];
		size_t column = visible_columns(line->text, span->from);

		json_array_append_new(spans, json_pack("[Is]", (json_int_t)column,
						       export_style_names[span->style]));
	}
	return spans;
}

static json_t *line_value(const struct display_line *line)
{
	json_t *value = json_pack("{so}", "text", export_json_text(line->text));
	char at[ADDRESS_TEXT];

	address_format(&line->at, at);
	if (*at)
		json_object_set_new(value, "at", json_string(at));
	if (*line->text && line->span_count > 0)
		json_object_set_new(value, "styles", spans_value(line));
	return value;
}

static enum status put_screen(const struct export_job *job)
{
	const struct view *screen = export_screen(job);
	json_t *lines = json_array();
	struct display *display;
	int64_t run;
	enum status status = export_draw(job, screen, &run, &display);

	for (size_t i = 0; status == STATUS_OK && i < display_count(display); i++)
		json_array_append_new(lines, line_value(display_line(display, i)));
	display_free(display);
	put_value(job->out, "screen", json_string(screen->name));
	put_value(job->out, "lines", lines);
	return status;
}

/* --- all of it --- */

static enum status write_json(const struct export_job *job)
{
	char at[ADDRESS_TEXT];

	address_format(&job->at, at);
	fprintf(job->out, "{\"schema\": %d", SCHEMA);
	put_value(job->out, "flashtwin", json_string(PACKAGE_VERSION));
	put_value(job->out, "trace", export_json_text(job->name));
	if (job->other)
		put_value(job->out, "other", export_json_text(job->other_name));
	put_value(job->out, "at", *at ? json_string(at) : json_null());
	if (job->screen || *at)
		TRY(put_screen(job));
	TRY(put_parts(job));
	fputs("}\n", job->out);
	return STATUS_OK;
}

const struct export_format export_json = { .name = "json", .screens = true, .pairs = true,
	.write = write_json };
