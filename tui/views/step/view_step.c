/* view_step.c - the Step screen: KV cache, chunks, reduction and output of one step, layer and head
 * side by side.
 *
 * The step is that of the launch of the address, else the last one up to the end of its step or
 * operation; see step.h.
 */
#include "tui/views/step/step.h"

#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

/* Attention of which the trace has nothing to draw. */
static enum status draw_missing(const struct view_context *c, const struct step *s)
{
	if (s->form == STEP_HOST) {
		view_title(c, "STEP of op %lld %s", (long long)s->attend.op, s->attend.kernel);
		return view_missing(c, NULL, LEVEL_LAUNCH, "rows of K");
	}
	view_place_title(c, "STEP of", &s->attend);
	view_recomputed_note(c, &s->recomputed);
	if (s->form == STEP_TILES && s->keys == 0) {
		view_styled(c, STYLE_NOTE, "  query %lld sees no key: its output is 0\n",
			    (long long)s->query.number);
		return STATUS_OK;
	}
	return s->form == STEP_CHUNKS ? view_missing(c, &s->attend, LEVEL_PARTIALS, "partials")
		: view_missing(c, &s->attend, LEVEL_POINTS, "points");
}

static enum status take_counts(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	int64_t *counts = state;

	(void)c;
	for (int i = 0; i < 3; i++)
		counts[i] = view_int(row, i);
	return STATUS_OK;
}

/* A kernel of a user may attend, but the trace does not know which of its arguments is what. */
static enum status draw_users(const struct view_context *c, const struct view_place *place)
{
	int64_t counts[3] = { 0 };

	TRY(VIEW_ROWS(c, take_counts, counts, "SELECT (SELECT count(*) FROM v_arg"
		      "  WHERE run = ?1 AND launch = ?2), (SELECT count(*) FROM w_point"
		      "  WHERE run = ?1 AND launch = ?2), (SELECT count(*) FROM v_finding"
		      "  WHERE run = ?1 AND launch = ?2)", c->run, place->launch));
	view_place_title(c, "STEP of", place);
	view_styled(c, STYLE_NOTE, "  a kernel of yours: what it computes is not known, and this"
		    " screen is for\n  the attention of decode and attend. Shown elsewhere:\n");
	for (int i = 0; i < 4; i++) {
		static const char *const screens[][3] = {
			{ "I Launch", "--screen launch", "arguments, and what it wrote" },
			{ "P Points", "--screen points", "values that its POINT() published" },
			{ "7 Finds", "--screen findings", "what the checker found" },
			{ "6 Source", "--screen source", "its text, line by line" },
		};
		view_cell count = "";

		if (i < 3)
			snprintf(count, sizeof count, "%lld", (long long)counts[i]);
		view_print(c, "  %-18s %6s  %s\n", screens[i][c->output == OUTPUT_PLAIN], count,
			   screens[i][2]);
	}
	return STATUS_OK;
}

static enum status draw_none(const struct view_context *c)
{
	struct view_place place;
	bool found;
	int64_t users;

	TRY(VIEW_NUMBER(c, 0, &users, "SELECT 1 FROM v_run WHERE run = ?1 AND command = 'launch'",
			c->run));
	TRY(view_place_find(c, "v_launch", &place, &found));
	if (users && found)
		return draw_users(c, &place);
	view_title(c, "STEP: no launch attends here");
	if (users)
		return STATUS_OK;
	if (!found)
		return view_missing(c, NULL, LEVEL_PARTIALS, "launches of attention");
	view_styled(c, STYLE_NOTE, "  %s does not attend to keys\n", place.kernel);
	return view_missing_next(c, &place, VIEW_CHUNKS);
}

static enum status draw_memory(const struct view_context *c, struct step_memory *m)
{
	bool found;

	TRY(step_memory_read(c, m, &found));
	if (!found)
		return draw_none(c);
	if (m->step.live == 0)
		return draw_missing(c, &m->step);
	return step_draw(c, m, c->play ? step_frame_at(m->frames, m->count, &c->at) : -1);
}

/* Without memory of its own a screen reads the step each time. */
static enum status draw(const struct view_context *c)
{
	struct step_memory own = { .store = NULL };
	enum status status;

	if (c->play && c->played)
		return draw_memory(c, c->played);
	status = draw_memory(c, &own);
	step_memory_clear(&own);
	return status;
}

static enum status draw_frame(const struct view_context *c, struct step_memory *m, int64_t number)
{
	const struct step_frame *frame = &m->frames[number];
	struct view_context here = *c;
	char text[64], at[ADDRESS_TEXT];

	address_format(&frame->at, at);
	step_frame_text(&m->step, frame, text);
	view_styled(c, STYLE_TITLE, "\nframe %lld of %lld, at %s: %s", (long long)number + 1,
		    (long long)m->count, at, text);
	view_print(c, "\n");
	here.at = frame->at;
	return step_draw(&here, m, number);
}

enum status step_play(const struct view_context *c)
{
	struct step_memory m = { .store = NULL };
	enum status status;
	bool found;

	status = step_memory_read(c, &m, &found);
	if (status == STATUS_OK && m.count == 0)
		status = draw(c);
	for (int64_t i = 0; i < m.count && status == STATUS_OK; i++)
		status = draw_frame(c, &m, i);
	step_memory_clear(&m);
	return status;
}

const struct view view_step = {
	.name = "step", .summary = "one step: KV cache, chunks, reduction and output side by side",
	.table = "w_attends", .draw = draw
};
