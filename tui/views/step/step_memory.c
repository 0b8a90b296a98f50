/* step_memory.c - a step that was read, kept between its frames so that playing it reads it once;
 * see step.h. */
#include "tui/views/step/step.h"

#include <stdlib.h>

#include "tui/views/view_query.h"

/* The same step, layer, slot, head and query of the other run, which has it if its launches are
 * numbered alike. */
static enum status read_second(const struct view_context *c, struct step_memory *m)
{
	const struct step *s = &m->step;
	struct view_context other;
	int64_t exists;
	bool found;

	TRY(view_second(c, &other, &found));
	if (!found)
		return STATUS_OK;
	snprintf(m->verdict, sizeof m->verdict, "the other run has no such step");
	other.at = address_none;
	other.at.launch = s->attend.launch;
	other.head = s->head;
	other.slot = s->slot;
	if (s->form == STEP_TILES)
		step_query_address(s, s->query.number, &other.at);
	if (s->form == STEP_HOST)
		other.at.op = s->attend.op;
	if (other.at.launch >= 0)
		TRY(VIEW_NUMBER(&other, 0, &exists, "SELECT 1 FROM v_launch WHERE run = ?1"
				" AND launch = ?2", other.run, other.at.launch));
	else
		TRY(VIEW_NUMBER(&other, 0, &exists, "SELECT 1 FROM v_op WHERE run = ?1"
				" AND op = ?2", other.run, other.at.op));
	if (!exists)
		return STATUS_OK;
	TRY(step_find(&other, &m->second, &found));
	if (!found || m->second.form != s->form)
		return STATUS_OK;
	TRY(step_read(&other, &m->second));
	m->has_second = m->second.live > 0;
	return m->has_second ? step_compare(c, &other, m) : STATUS_OK;
}

static enum status read_slot(const struct view_context *c, struct step *s, int64_t slot)
{
	struct view_context here = *c;
	bool found;

	step_free(s);
	here.slot = slot;
	TRY(step_find(&here, s, &found));
	return step_read(c, s);
}

static enum status read(const struct view_context *c, struct step_memory *m, bool *found)
{
	struct step *s = &m->step;

	TRY(step_find(c, s, found));
	if (!*found)
		return STATUS_OK;
	TRY(step_read(c, s));
	/* A slot whose sequence has ended has no keys: show one that has. */
	for (int64_t slot = 0, slots = s->slots; s->live == 0 && s->form != STEP_TILES
	     && c->at.block < 0 && slot < slots; slot++)
		TRY(read_slot(c, s, slot));
	if (s->live == 0)
		return STATUS_OK;
	TRY(step_frames(c, s, &m->frames, &m->count));
	return read_second(c, m);
}

enum status step_memory_read(const struct view_context *c, struct step_memory *m, bool *found)
{
	*found = true;
	if (m->store && m->store == c->store && m->run == c->run
	    && m->step.recomputed.how != RECOMPUTED_LATER
	    && step_frame_at(m->frames, m->count, &c->at) >= 0)
		return STATUS_OK;
	step_memory_clear(m);
	TRY(read(c, m, found));
	m->store = c->store;
	m->run = c->run;
	return STATUS_OK;
}

void step_memory_clear(struct step_memory *m)
{
	step_free(&m->step);
	step_free(&m->second);
	free(m->frames);
	*m = (struct step_memory){ .step = { .made = -1 } };
}
