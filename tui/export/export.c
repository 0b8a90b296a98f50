/* export.c - code shared by the formats of flashtwin export: scopes, screens, clean text.
 *
 * Each format has an export_*.c of its own. See export.h.
 */
#include "tui/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_list.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

const char *const export_style_names[STYLE_COUNT] = {
	[STYLE_PLAIN] = "plain", [STYLE_TITLE] = "title", [STYLE_HEADING] = "heading",
	[STYLE_NOTE] = "note", [STYLE_WRONG] = "wrong", [STYLE_NEW] = "new",
	[STYLE_CHART] = "chart", [STYLE_DIFFERS] = "differs", [STYLE_FRAME] = "frame",
	[STYLE_STRONG] = "strong",
};

/* --- scopes --- */

/* The launches and steps of a range of operations; an empty range when there are none. */
static enum status find_parts(const struct view_context *c, struct export_scope *s)
{
	TRY(VIEW_NUMBER(c, 1, &s->first_launch, "SELECT min(launch) FROM v_op WHERE run = ?1"
			" AND op BETWEEN ?2 AND ?3", c->run, s->first_op, s->last_op));
	TRY(VIEW_NUMBER(c, 0, &s->last_launch, "SELECT max(launch) FROM v_op WHERE run = ?1"
			" AND op BETWEEN ?2 AND ?3", c->run, s->first_op, s->last_op));
	TRY(VIEW_NUMBER(c, 1, &s->first_step, "SELECT min(step) FROM v_op WHERE run = ?1"
			" AND op BETWEEN ?2 AND ?3", c->run, s->first_op, s->last_op));
	return VIEW_NUMBER(c, 0, &s->last_step, "SELECT max(step) FROM v_op WHERE run = ?1"
			   " AND op BETWEEN ?2 AND ?3", c->run, s->first_op, s->last_op);
}

static enum status find_step(const struct view_context *c, struct export_scope *s)
{
	TRY(VIEW_NUMBER(c, -1, &s->first_op, "SELECT min(first_op) FROM v_step WHERE run = ?1"
			" AND step = ?2", c->run, c->at.step));
	if (s->first_op < 0)
		return fail(STATUS_USAGE, "run %" PRId64 " has no step s%" PRId64, c->run,
			    c->at.step);
	/* A step that was cut off has no last operation: it extends to the end of the run. */
	return VIEW_NUMBER(c, INT64_MAX, &s->last_op, "SELECT iif(count(*) = count(last_op),"
			   " max(last_op), NULL) FROM v_step WHERE run = ?1 AND step = ?2", c->run,
			   c->at.step);
}

static enum status find_op(const struct view_context *c, struct export_scope *s)
{
	struct view_place place;
	bool found;

	if (c->at.launch >= 0) {
		TRY(view_place_find(c, "v_launch", &place, &found));
		s->first_op = place.op;
	} else {
		TRY(VIEW_NUMBER(c, -1, &s->first_op,
				"SELECT op FROM v_op WHERE run = ?1 AND op = ?2", c->run,
				c->at.op));
	}
	if (s->first_op < 0)
		return fail(STATUS_USAGE, "run %" PRId64 " has no op %" PRId64, c->run, c->at.op);
	s->last_op = s->first_op;
	return STATUS_OK;
}

enum status export_scope_find(const struct export_job *job, struct export_scope *s)
{
	struct view_context c = { .store = job->store, .at = job->at };

	*s = (struct export_scope){ 1, INT64_MAX, -1, INT64_MAX, -1, INT64_MAX, -1, INT64_MAX };
	if (address_equal(&job->at, &address_none))
		return STATUS_OK;
	TRY(view_choose_run(&c));
	s->first_run = s->last_run = c.run;
	if (c.at.step < 0 && c.at.launch < 0 && c.at.op < 0)
		return STATUS_OK;
	TRY(c.at.step >= 0 ? find_step(&c, s) : find_op(&c, s));
	return find_parts(&c, s);
}

/* --- screens --- */

const struct view *export_screen(const struct export_job *job)
{
	if (job->screen)
		return job->screen;
	if (job->at.launch >= 0)
		return &view_launch;
	return job->at.step >= 0 || job->at.op >= 0 ? &view_time : &view_summary;
}

enum status export_draw(const struct export_job *job, const struct view *screen, int64_t *run,
			struct display **out)
{
	struct view_context c = {
		.out = display_create(NULL, &job->at), .store = job->store, .other = job->other,
		.at = job->at, .listed = view_table, .recompute = job->recompute,
		.output = OUTPUT_PAGE
	};

	*out = c.out;
	TRY(view_choose_run(&c));
	*run = c.run;
	TRY(screen->draw(&c));
	if (job->other && screen != &view_diff) {
		view_title(&c, "The same in %s", job->other_name);
		c.store = job->other;
		c.other = NULL;
		TRY(view_choose_run(&c));
		TRY(screen->draw(&c));
	}
	display_finish(c.out);
	return STATUS_OK;
}

/* --- text --- */

/* Bytes of the UTF-8 character at `text`; 0: invalid, a control, or not allowed in XML. */
static size_t character(const unsigned char *text)
{
	static const uint32_t min[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t bytes = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3
		: *text >> 3 == 30 ? 4 : 0;
	uint32_t c = bytes < 2 ? *text : *text & (0x7fU >> bytes);

	for (size_t i = 1; i < bytes; i++) {
		if (text[i] >> 6 != 2)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	if (bytes == 0 || c < min[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	if (c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff)
		return 0;
	return bytes;
}

char *export_text(const char *text)
{
	char *out = xmalloc(strlen(text) + 1), *to = out;

	while (*text) {
		size_t bytes = character((const unsigned char *)text);

		if (bytes == 0) {
			*to++ = '?';
			text++;
			continue;
		}
		memcpy(to, text, bytes);
		to += bytes;
		text += bytes;
	}
	*to = '\0';
	return out;
}

json_t *export_json_text(const char *text)
{
	char *clean = export_text(text);
	json_t *value = json_string(clean);

	free(clean);
	return value;
}

void export_markup(FILE *out, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		switch (text[i]) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: putc(text[i], out);
		}
	}
}
