/* step_options.c - softcap, queries, window, sinks and pages of a step, and where its keys are.
 *
 * See step.h.
 */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <stdio.h>

enum status step_options_read(const struct view_context *c, struct step *s)
{
	if (s->form != STEP_CHUNKS)
		return STATUS_OK;
	TRY(view_visible_read(c, s->attend.op, s->slot, &s->visible));
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
