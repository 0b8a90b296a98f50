/* step_options.c - softcap, queries, window, sinks, pages and log-sum-exp of a step, and where its
 * keys are.
 *
 * See step.h.
 */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/views/step/step_layout.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

/* The launch that merges has log-sum-exps [slots, heads] as an argument. Their bytes are in the
 * trace with the launch, or where they are downloaded before another. */
static enum status take_lse(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step *s = state;
	size_t at = (size_t)(s->slot * s->heads + s->head) * sizeof s->lse, size;
	void *bytes;

	s->writes_lse = true;
	if (view_null(row, 0))
		return STATUS_OK;
	TRY(store_data(c->store, view_int(row, 0), &bytes, &size));
	s->has_lse = at + sizeof s->lse <= size;
	if (s->has_lse)
		memcpy(&s->lse, (const char *)bytes + at, sizeof s->lse);
	free(bytes);
	return STATUS_OK;
}

static enum status read_lse(const struct view_context *c, struct step *s)
{
	const struct view_place *p = s->reduce.launch >= 0 ? &s->reduce : &s->attend;

	return VIEW_ROWS(c, take_lse, s, "SELECT coalesce(d.data, (SELECT iif(kind = 'download',"
			 " data, NULL) FROM v_op WHERE run = ?1 AND op > ?2 AND (kind = 'launch'"
			 " OR kind = 'download' AND buffer = a.buffer) ORDER BY op LIMIT 1))"
			 " FROM v_arg a LEFT JOIN v_digest d ON d.run = a.run AND d.op = a.op"
			 " AND d.buffer = a.buffer AND d.after_step = 0 WHERE a.run = ?1"
			 " AND a.op = ?2 AND a.name = 'lse' AND a.buffer IS NOT NULL", c->run,
			 p->op);
}

enum status step_options_read(const struct view_context *c, struct step *s)
{
	if (s->form != STEP_CHUNKS)
		return STATUS_OK;
	TRY(view_visible_read(c, s->attend.op, s->slot, &s->visible));
	TRY(read_lse(c, s));
	return view_pages_read(c, s->attend.op, s->slot, &s->pages);
}

int64_t step_sequence(const struct step *s)
{
	return view_visible_sequence(&s->visible, s->slot);
}

int64_t step_position(const struct step *s, int64_t key)
{
	return view_visible_position(&s->visible, key);
}

/* "keys 0..3 and 900..999 of 1000" */
static void name_seen(const struct step *s, char *text, size_t size)
{
	const struct view_visible *o = &s->visible;
	int64_t length = s->keys + o->gap, first = step_position(s, o->sinks);

	if (o->gap == 0)
		snprintf(text, size, "all %" PRId64 " keys", s->keys);
	else if (o->sinks == 0)
		snprintf(text, size, "keys %" PRId64 "..%" PRId64 " of %" PRId64, first,
			 length - 1, length);
	else
		snprintf(text, size, "keys 0..%" PRId64 " and %" PRId64 "..%" PRId64 " of %" PRId64,
			 o->sinks - 1, first, length - 1, length);
}

/* "query 1 of 4: 2 newer keys are masked" */
static int add_query(const struct step *s, const char *before, char *text, size_t size)
{
	int64_t query = view_visible_query(&s->visible, s->slot);
	int64_t newer = view_visible_newer(&s->visible, s->slot);

	return snprintf(text, size, "%squery %" PRId64 " of %" PRId64 ": %" PRId64 " newer key%s",
			before, query, s->visible.queries, newer,
			newer == 1 ? " is masked" : "s are masked");
}

void step_options_text(const struct step *s, char text[240])
{
	const struct view_visible *o = &s->visible;
	int used = 0;
	char seen[100];

	text[0] = '\0';
	if (o->softcap != 0.0)
		used = snprintf(text, 240, "softcap %g", o->softcap);
	if (o->queries > 1)
		used += add_query(s, used ? "  " : "", text + used, 240 - (size_t)used);
	if (o->window == 0)
		return;
	name_seen(s, seen, sizeof seen);
	snprintf(text + used, 240 - (size_t)used, "%swindow %" PRId64 ", sinks %" PRId64
		 ": sees %s", used ? "  " : "", o->window, o->sinks, seen);
}

void step_lse_text(const struct view_context *c, const struct step *s, bool written, char text[64])
{
	char number[48] = "";

	text[0] = '\0';
	if (!s->writes_lse)
		return;
	if (s->has_lse && written)
		step_number(c, 9, s->lse, number);
	snprintf(text, 64, "log-sum-exp%s%s", number[0] ? " " : "", number);
}
