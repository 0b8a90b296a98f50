/* viewer_walk.c - steps through a run, one or two indexed queries per step; see viewer_walk.h. */
#include "tui/viewer/viewer_walk.h"

#include <stdio.h>

#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_place.h"
#include "tui/views/view_query.h"
#include "tui/views/view_shape.h"

#define LAST INT64_MAX

/* The address of the run alone. */
static struct address in_run(const struct address *at)
{
	struct address a = address_none;

	a.run = at->run;
	return a;
}

static struct address launch_address(const struct address *at, int64_t launch)
{
	struct address a = in_run(at);

	a.launch = launch;
	return a;
}

/* --- operations and launches --- */

enum status walk_op(const struct view_context *c, const struct address *at, int64_t *op)
{
	*op = at->op;
	if (at->launch >= 0)
		return VIEW_NUMBER(c, -1, op, "SELECT op FROM v_launch WHERE run = ?1"
				   " AND launch = ?2", c->run, at->launch);
	if (at->step >= 0)
		return VIEW_NUMBER(c, -1, op, "SELECT min(first_op) FROM v_step WHERE run = ?1"
				   " AND step = ?2", c->run, at->step);
	return STATUS_OK;
}

/* The address of an operation, or of its launch if it is one. */
static enum status walk_op_address(const struct view_context *c, int64_t op, struct address *at)
{
	int64_t launch;

	TRY(VIEW_NUMBER(c, -1, &launch, "SELECT launch FROM v_op WHERE run = ?1 AND op = ?2",
			c->run, op));
	*at = in_run(at);
	if (launch >= 0)
		at->launch = launch;
	else
		at->op = op;
	return STATUS_OK;
}

/* The operation, or the launch, before or after an address; -1: none. */
static enum status neighbour(const struct view_context *c, bool launches, int direction,
			     const struct address *at, int64_t *next)
{
	static const char *const queries[2][2] = {
		{ "SELECT op FROM v_op WHERE run = ?1 AND op > ?2 ORDER BY op LIMIT 1",
		  "SELECT op FROM v_op WHERE run = ?1 AND op < ?2 ORDER BY op DESC LIMIT 1" },
		{ "SELECT launch FROM v_op WHERE run = ?1 AND op > ?2 AND launch IS NOT NULL"
		  " ORDER BY op LIMIT 1",
		  "SELECT launch FROM v_op WHERE run = ?1 AND op < ?2 AND launch IS NOT NULL"
		  " ORDER BY op DESC LIMIT 1" },
	};
	int64_t op;

	TRY(walk_op(c, at, &op));
	/* From a step, the next operation is its first. */
	if (at->launch < 0 && at->op < 0 && direction > 0)
		op--;
	return VIEW_NUMBER(c, -1, next, queries[launches][direction < 0], c->run, op);
}

static enum status step_op(const struct view_context *c, int direction, struct address *at,
			   bool *moved)
{
	int64_t op;

	TRY(neighbour(c, false, direction, at, &op));
	*moved = op >= 0;
	return *moved ? walk_op_address(c, op, at) : STATUS_OK;
}

static enum status step_launch(const struct view_context *c, int direction, struct address *at,
			       bool *moved)
{
	int64_t launch;

	TRY(neighbour(c, true, direction, at, &launch));
	*moved = launch >= 0;
	if (*moved)
		*at = launch_address(at, launch);
	return STATUS_OK;
}

enum status walk_end(const struct view_context *c, int direction, struct address *at, bool *moved)
{
	int64_t op;

	TRY(VIEW_NUMBER(c, -1, &op, direction > 0 ? "SELECT min(op) FROM v_op WHERE run = ?1"
			: "SELECT max(op) FROM v_op WHERE run = ?1", c->run));
	*moved = op >= 0;
	return *moved ? walk_op_address(c, op, at) : STATUS_OK;
}

/* --- blocks --- */

static enum status find_place(const struct view_context *c, int64_t launch,
			      struct view_place *place)
{
	struct view_context here = *c;
	bool found;

	here.at = address_none;
	here.at.launch = launch;
	return view_place_find(&here, "v_launch", place, &found);
}

static enum status step_block(const struct view_context *c, int direction, struct address *at,
			      bool *moved)
{
	struct view_place place;
	int64_t block = at->block + direction;

	*moved = true;
	if (at->launch >= 0 && (at->block >= 0 || direction > 0)) {
		TRY(find_place(c, at->launch, &place));
		if (block >= 0 && block < view_place_blocks(&place)) {
			*at = launch_address(at, at->launch);
			at->block = block;
			return STATUS_OK;
		}
	}
	TRY(step_launch(c, direction, at, moved));
	if (!*moved)
		return STATUS_OK;
	TRY(find_place(c, at->launch, &place));
	at->block = direction > 0 ? 0 : view_place_blocks(&place) - 1;
	return STATUS_OK;
}

/* --- points --- */

/* The position of an address in the order of points: its point, or, for a coarser address, the
 * position before its first point. */
static enum status point_of(const struct view_context *c, const struct address *at, int direction,
			    struct store_point *point)
{
	struct view_place place;
	struct address launch = *at;
	int64_t lane = at->lane >= 0 ? at->lane : 0, warp = at->warp >= 0 ? at->warp : 0;
	bool moved;

	*point = (struct store_point){ direction > 0 ? LAST : -1, LAST, LAST };
	if (at->launch < 0) {
		TRY(step_launch(c, direction, &launch, &moved));
		if (moved)
			*point = (struct store_point){ launch.launch,
						       direction > 0 ? -1 : LAST, -1 };
		return STATUS_OK;
	}
	*point = (struct store_point){ at->launch, -1, -1 };
	if (at->block < 0)
		return STATUS_OK;
	TRY(find_place(c, at->launch, &place));
	point->thread = view_place_thread(&place, at->block, warp * 32 + lane);
	point->sequence = at->point;
	return STATUS_OK;
}

static enum status step_point(const struct view_context *c, const char *name, int direction,
			      struct address *at, bool *moved)
{
	struct store_point point;
	struct view_place place;
	int64_t threads;

	TRY(point_of(c, at, direction, &point));
	TRY(store_next_point(c->store, c->run, name, direction, &point, moved));
	if (!*moved)
		return STATUS_OK;
	TRY(find_place(c, point.launch, &place));
	threads = view_place_threads(&place);
	if (threads <= 0)
		return fail(STATUS_DAMAGED, "L%lld: blocks of %lld threads",
			    (long long)point.launch, (long long)threads);
	*at = launch_address(at, point.launch);
	at->block = point.thread / threads;
	at->warp = point.thread % threads / 32;
	at->lane = point.thread % threads % 32;
	at->point = point.sequence;
	return STATUS_OK;
}

/* --- requests --- */

/* Where a request is among those of the run. */
struct request_place {
	int64_t launch, warp, number;
};

static enum status take_request(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	(void)c;
	*(struct request_place *)state = (struct request_place){
		view_int(row, 0), view_int(row, 1), view_int(row, 2),
	};
	return STATUS_OK;
}

/* The place of an address; for a coarser one, that before its first request. */
static enum status request_of(const struct view_context *c, const struct address *at,
			      int direction, struct request_place *out)
{
	struct view_place place;
	struct address launch = *at;
	int64_t warps;
	bool moved;

	if (at->launch < 0) {
		TRY(step_launch(c, direction, &launch, &moved));
		*out = (struct request_place){ moved ? launch.launch : direction > 0 ? LAST : -1,
					       direction > 0 ? -1 : LAST, -1 };
		return STATUS_OK;
	}
	*out = (struct request_place){ at->launch, -1, -1 };
	if (at->block < 0)
		return STATUS_OK;
	TRY(find_place(c, at->launch, &place));
	warps = view_place_threads(&place) / 32 + (view_place_threads(&place) % 32 != 0);
	if (__builtin_mul_overflow(at->block, warps, &out->warp))
		out->warp = LAST;
	else if (at->warp > 0 && out->warp <= LAST - at->warp)
		out->warp += at->warp;
	out->number = at->access;
	return STATUS_OK;
}

static enum status step_request(const struct view_context *c, int direction, struct address *at,
				bool *moved)
{
	static const char *const queries[] = {
		"SELECT launch, warp, request FROM w_request WHERE run = ?1"
		" AND (launch, warp, request) > (?2, ?3, ?4)"
		" ORDER BY launch, warp, request LIMIT 1",
		"SELECT launch, warp, request FROM w_request WHERE run = ?1"
		" AND (launch, warp, request) < (?2, ?3, ?4)"
		" ORDER BY launch DESC, warp DESC, request DESC LIMIT 1",
	};
	struct request_place from, to = { .launch = -1 };
	struct view_place place;
	int64_t warps;

	TRY(request_of(c, at, direction, &from));
	TRY(VIEW_ROWS(c, take_request, &to, queries[direction < 0], c->run, from.launch, from.warp,
		      from.number));
	*moved = to.launch >= 0;
	if (!*moved)
		return STATUS_OK;
	TRY(find_place(c, to.launch, &place));
	warps = view_place_threads(&place) / 32 + (view_place_threads(&place) % 32 != 0);
	if (warps <= 0 || to.warp < 0 || to.number < 0)
		return fail(STATUS_DAMAGED, "L%lld: blocks of %lld warps", (long long)to.launch,
			    (long long)warps);
	*at = launch_address(at, to.launch);
	at->block = to.warp / warps;
	at->warp = to.warp % warps;
	at->access = to.number;
	return STATUS_OK;
}

/* --- steps --- */

/* The step of an address; -1: it is outside all steps. */
static enum status step_number(const struct view_context *c, const struct address *at,
			       int64_t *step)
{
	int64_t op;

	*step = at->step;
	if (*step >= 0)
		return STATUS_OK;
	TRY(walk_op(c, at, &op));
	return VIEW_NUMBER(c, -1, step, "SELECT step FROM v_op WHERE run = ?1 AND op = ?2", c->run,
			   op);
}

/* The first operation of a step. */
static enum status first_op(const struct view_context *c, int64_t step, int64_t *op)
{
	struct address at = address_none;

	at.step = step;
	return walk_op(c, &at, op);
}

/* The launch at the same offset in step `to` as the address in step `from`, if it has the same
 * layer and number of blocks; else the step as a whole. */
static enum status same_in_step(const struct view_context *c, int64_t from, int64_t to,
				struct address *at)
{
	struct view_place here, there;
	struct address a = in_run(at);
	int64_t op, begin, end, launch;

	a.step = to;
	if (at->launch >= 0) {
		TRY(find_place(c, at->launch, &here));
		TRY(first_op(c, from, &begin));
		TRY(first_op(c, to, &end));
		op = here.op - begin + end;
		TRY(VIEW_NUMBER(c, -1, &launch, "SELECT launch FROM v_op WHERE run = ?1"
				" AND op = ?2 AND step = ?3", c->run, op, to));
		if (launch >= 0) {
			TRY(find_place(c, launch, &there));
			if (here.layer == there.layer
			    && view_place_blocks(&here) == view_place_blocks(&there)) {
				a = *at;
				a.launch = launch;
			}
		}
	}
	*at = a;
	return STATUS_OK;
}

static enum status step_step(const struct view_context *c, int direction, struct address *at,
			     bool *moved)
{
	int64_t step, op, next;

	TRY(step_number(c, at, &step));
	if (step >= 0) {
		TRY(VIEW_NUMBER(c, -1, &next, direction > 0
				? "SELECT min(step) FROM v_step WHERE run = ?1 AND step > ?2"
				: "SELECT max(step) FROM v_step WHERE run = ?1 AND step < ?2",
				c->run, step));
	} else {
		TRY(walk_op(c, at, &op));
		TRY(VIEW_NUMBER(c, -1, &next, direction > 0
				? "SELECT min(step) FROM v_step WHERE run = ?1 AND first_op > ?2"
				: "SELECT max(step) FROM v_step WHERE run = ?1 AND first_op < ?2",
				c->run, op));
	}
	*moved = next >= 0;
	if (!*moved)
		return STATUS_OK;
	if (step >= 0)
		return same_in_step(c, step, next, at);
	*at = in_run(at);
	at->step = next;
	return STATUS_OK;
}

enum status walk_step(const struct view_context *c, enum walk_grain grain, int direction,
		      struct address *at, bool *moved)
{
	switch (grain) {
	case WALK_STEP: return step_step(c, direction, at, moved);
	case WALK_OP: return step_op(c, direction, at, moved);
	case WALK_LAUNCH: return step_launch(c, direction, at, moved);
	case WALK_BLOCK: return step_block(c, direction, at, moved);
	case WALK_TILE: return step_point(c, "softmax", direction, at, moved);
	case WALK_REQUEST: return step_request(c, direction, at, moved);
	case WALK_POINT: return step_point(c, NULL, direction, at, moved);
	}
	return fail(STATUS_INTERNAL, "walk: no grain %d", (int)grain);
}

/* --- launches with rows --- */

static enum status nearest(const struct view_context *c, const char *table, int direction,
			   int64_t from, int64_t *launch)
{
	char sql[160];

	snprintf(sql, sizeof sql, "SELECT launch FROM %s WHERE run = ?1 AND launch %s ?2"
		 " ORDER BY launch%s LIMIT 1", table, direction > 0 ? ">=" : "<=",
		 direction > 0 ? "" : " DESC");
	return VIEW_NUMBER(c, -1, launch, sql, c->run, from);
}

enum status walk_to_rows(const struct view_context *c, const char *table, struct address *at,
			 bool *moved)
{
	struct view_place place;
	int64_t op, from, after, before, step, layer = -1, there, there_layer;
	bool some;

	TRY(walk_op(c, at, &op));
	from = at->launch;
	if (from < 0) {
		struct address next = *at;

		TRY(step_launch(c, 1, &next, &some));
		from = some ? next.launch : LAST;
	} else {
		TRY(find_place(c, from, &place));
		layer = place.layer;
	}
	TRY(nearest(c, table, 1, from, &after));
	TRY(nearest(c, table, -1, from, &before));
	*moved = after >= 0 || before >= 0;
	if (!*moved || after == at->launch)
		return STATUS_OK;
	/* Prefer the launch after, if it has the same step and layer. */
	if (after >= 0 && before >= 0) {
		TRY(step_number(c, at, &step));
		TRY(find_place(c, after, &place));
		there = place.step;
		there_layer = place.layer;
		if (there == step && (layer < 0 || there_layer == layer))
			return view_shape_carry(c, after, at);
	}
	return view_shape_carry(c, before >= 0 ? before : after, at);
}

enum status walk_rows(const struct view_context *c, const char *table, int direction,
		      struct address *at, bool *moved)
{
	struct address next = *at;
	int64_t launch;

	TRY(step_launch(c, direction, &next, moved));
	if (!*moved)
		return STATUS_OK;
	TRY(nearest(c, table, direction, next.launch, &launch));
	*moved = launch >= 0;
	return *moved ? view_shape_carry(c, launch, at) : STATUS_OK;
}
