/* step_merge.c - how the chunks of a step were merged; see step.h. */
#include "tui/views/step/step.h"

#include <math.h>

#include "tui/views/view_cell.h"
#include "tui/views/view_data.h"
#include "tui/views/view_exp.h"
#include "tui/views/view_query.h"

/* --- as published --- */

struct merge {
	struct step *step;
	int64_t next;
};

enum { SEQUENCE, FACTOR, SO_FAR, ACC0 };

static enum status take_merge(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct merge *m = state;
	struct step_chunk *k = &m->step->chunks[m->next];

	(void)c;
	if (m->next == m->step->live)
		return STATUS_OK;
	k->merged = true;
	k->merge_point = view_int(row, SEQUENCE);
	k->merge_factor = view_f32(row, FACTOR);
	k->merge_sum = view_f32(row, SO_FAR);
	k->merge_acc0 = view_f32(row, ACC0);
	m->next++;
	return STATUS_OK;
}

/* Lane 0 of the block that merges passes one point for each chunk with keys, in chunk order. */
static enum status read_points(const struct view_context *c, struct step *s)
{
	const struct view_place *p = s->form == STEP_CHUNKS ? &s->reduce : &s->attend;
	int64_t block = s->head + s->heads * s->slot;
	struct merge m = { s, 0 };

	if (p->launch < 0)
		return STATUS_OK;
	return VIEW_ROWS(c, take_merge, &m, "SELECT sequence, v0_bits, v1_bits, v2_bits"
			 " FROM w_point WHERE run = ?1 AND launch = ?2 AND thread = ?3"
			 " AND name = 'reduce' ORDER BY sequence", c->run, p->launch,
			 view_place_thread(p, block, 0));
}

/* --- computed --- */

struct computing {
	struct step *step;
	struct view_data data;
	int64_t next;
};

static enum status take_accumulator(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct computing *m = state;
	struct step_chunk *k = &m->step->chunks[m->next];
	const struct step_chunk *before = m->next > 0 ? k - 1 : NULL;
	float acc0;

	if (m->next == m->step->live)
		return STATUS_OK;
	TRY(view_data_float(c, &m->data, row, 0, 1, &acc0));
	k->merge_factor = view_factor(k->max, (float)m->step->max);
	k->merge_sum = fmaf(k->merge_factor, k->sum, before ? before->merge_sum : 0.0f);
	k->merge_acc0 = fmaf(k->merge_factor, acc0, before ? before->merge_acc0 : 0.0f);
	k->merge_point = -1;
	k->merged = true;
	m->next++;
	return STATUS_OK;
}

/* The output too, where the trace does not have it. */
static enum status compute(const struct view_context *c, struct step *s)
{
	struct computing m = { .step = s };
	enum status status = VIEW_ROWS(c, take_accumulator, &m, "SELECT acc_data, acc_offset"
		" FROM v_partial WHERE run = ?1 AND launch = ?2 AND slot = ?3 AND head = ?4"
		" AND NOT empty ORDER BY chunk", c->run, s->attend.launch, s->slot, s->head);
	const struct step_chunk *last = &s->chunks[s->live - 1];

	view_data_free(&m.data);
	s->has_out = last->merged;
	s->out0 = last->merge_sum == 0.0f ? 0.0f : last->merge_acc0 / last->merge_sum;
	return status;
}

enum status step_merge_read(const struct view_context *c, struct step *s)
{
	return s->shape.merges ? compute(c, s) : read_points(c, s);
}
