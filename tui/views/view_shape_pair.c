/* view_shape_pair.c - goes from a launch that attends or merges to the same place of another one;
 * see view_shape.h. */
#include "tui/views/view_shape.h"

#include "tui/views/view_query.h"
#include "tui/views/view_recompute.h"

/* A head and slot that the other launch has too; a reduction has no chunks. */
static void carry(const struct view_context *c, const struct view_shape *from,
		  const struct view_shape *to, struct address *at)
{
	struct view_context there = *c;
	struct view_spot spot;

	there.at = *at;
	at->launch = to->place.launch;
	at->block = at->warp = at->lane = at->point = at->access = -1;
	at->output = at->element = at->file = at->line = -1;
	at->end = false;
	if (there.at.block < 0 || from->heads != to->heads || from->slots != to->slots)
		return;
	spot = view_shape_spot(&there, from);
	view_shape_address(to, spot.slot, spot.head, 0, at);
}

/* A plan follows from partials. */
static enum status recompute(const struct view_context *c, const struct view_place *p)
{
	struct view_recomputed how = { 0 };

	return view_shape_has_runs(p->kernel) ? view_recompute(c, p->launch, "softmax", &how)
		: STATUS_OK;
}

static enum status read(const struct view_context *c, int64_t launch, struct view_shape *s)
{
	struct view_context here = *c;
	struct view_place place;
	bool found;

	here.at = address_none;
	here.at.launch = launch;
	TRY(view_place_find(&here, "v_launch", &place, &found));
	TRY(recompute(c, &place));
	return view_shape_read(c, &place, s);
}

enum status view_shape_carry(const struct view_context *c, int64_t launch, struct address *at)
{
	struct view_shape from = { .unit_count = 0 }, to = { .unit_count = 0 };
	enum status status = STATUS_OK;

	if (at->launch < 0 || at->block < 0) {
		int64_t run = at->run;

		*at = address_none;
		at->run = run;
		at->launch = launch;
		return STATUS_OK;
	}
	status = read(c, at->launch, &from);
	if (status == STATUS_OK)
		status = read(c, launch, &to);
	if (status == STATUS_OK)
		carry(c, &from, &to, at);
	view_shape_free(&from);
	view_shape_free(&to);
	return status;
}

enum status view_shape_pair(const struct view_context *c, const char *table, int direction,
			    struct view_place *place, struct address *at)
{
	struct view_context there = *c;
	struct view_shape from, to = { .unit_count = 0 };
	enum status status;
	char sql[256];

	snprintf(sql, sizeof sql, "SELECT launch FROM %s WHERE run = ?1 AND launch BETWEEN %s"
		 " LIMIT 1", table, direction > 0 ? "?2 AND ?2 + ?3 ORDER BY launch"
		 : "?2 - ?3 AND ?2 ORDER BY launch DESC");
	if (c->at.launch < 0)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, -1, &there.at.launch, sql, c->run, place->launch, VIEW_NEAR));
	if (there.at.launch < 0)
		return STATUS_OK;
	TRY(recompute(c, place));
	status = view_shape_read(c, place, &from);
	if (status == STATUS_OK)
		status = read(c, there.at.launch, &to);
	if (status == STATUS_OK && to.place.step == place->step && to.place.layer == place->layer
	    && to.heads == from.heads && to.slots == from.slots) {
		carry(c, &from, &to, at);
		*place = to.place;
	}
	view_shape_free(&from);
	view_shape_free(&to);
	return status;
}
