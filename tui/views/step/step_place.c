/* step_place.c - finds the launches of the step that an address is in; see step.h. */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <string.h>

#include "traces/kernel_names.h"
#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

/* Kernels that attend to the keys of a query, or of many. */
#define ATTENDS "(" SQL_CHUNKS("kernel") " OR kernel GLOB 'attention_*')"
#define WITHIN 1024                     /* launches searched before and after a place */

/* Where attention happened: a launch, or an operation of the host; -1: neither. */
struct attended {
	int64_t launch, op;
};

/* --- the launches --- */

static enum status place_of(const struct view_context *c, int64_t launch, struct view_place *out)
{
	struct view_context here = *c;
	bool found;

	here.at = address_none;
	here.at.launch = launch;
	return view_place_find(&here, "w_attends", out, &found);
}

/* The first launch that attends in the step and layer of a launch, from that one on, forward or
 * backward. -1: none. */
static enum status attend_towards(const struct view_context *c, const struct view_place *p,
				  bool backward, int64_t *launch)
{
	if (backward)
		return VIEW_NUMBER(c, -1, launch, "SELECT launch FROM v_launch WHERE run = ?1"
				   " AND launch BETWEEN ?2 - ?5 AND ?2 AND " ATTENDS
				   " AND coalesce(step, -1) = ?3 AND coalesce(layer, -1) = ?4"
				   " ORDER BY launch DESC LIMIT 1", c->run, p->launch, p->step,
				   p->layer, WITHIN);
	return VIEW_NUMBER(c, -1, launch, "SELECT launch FROM v_launch WHERE run = ?1"
			   " AND launch BETWEEN ?2 AND ?2 + ?5 AND " ATTENDS
			   " AND coalesce(step, -1) = ?3 AND coalesce(layer, -1) = ?4"
			   " ORDER BY launch LIMIT 1", c->run, p->launch, p->step, p->layer,
			   WITHIN);
}

/* The launch that attends in the step and layer of a launch. A reduction follows it, everything
 * else precedes it. -1: none. */
static enum status attend_near(const struct view_context *c, const struct view_place *p,
			       int64_t *launch)
{
	bool follows = view_role(p->kernel) == VIEW_MERGES;

	TRY(attend_towards(c, p, follows, launch));
	return *launch >= 0 ? STATUS_OK : attend_towards(c, p, !follows, launch);
}

/* The last attention up to an operation: of a launch, or of the host if that is later. */
static enum status attend_last(const struct view_context *c, int64_t op, struct attended *out)
{
	int64_t last, op_of = -1;

	TRY(VIEW_NUMBER(c, -1, &last, "SELECT launch FROM v_op WHERE run = ?1 AND op <= ?2"
			" AND launch IS NOT NULL ORDER BY op DESC LIMIT 1", c->run, op));
	TRY(VIEW_NUMBER(c, -1, &out->launch, "SELECT launch FROM v_launch WHERE run = ?1"
			" AND launch BETWEEN ?2 - ?3 AND ?2 AND " ATTENDS
			" ORDER BY launch DESC LIMIT 1", c->run, last, WITHIN));
	if (out->launch >= 0)
		TRY(VIEW_NUMBER(c, -1, &op_of, "SELECT op FROM v_launch WHERE run = ?1"
				" AND launch = ?2", c->run, out->launch));
	return VIEW_NUMBER(c, -1, &out->op, "SELECT max(op) FROM v_softmax WHERE run = ?1"
			   " AND op BETWEEN ?2 AND ?3", c->run, op_of + 1, op);
}

/* The first attention after an operation that stands in its step. */
static enum status attend_next(const struct view_context *c, int64_t op, struct attended *out)
{
	int64_t step, op_of;

	TRY(VIEW_NUMBER(c, -1, &step, "SELECT step FROM v_op WHERE run = ?1 AND op = ?2", c->run,
			op));
	TRY(VIEW_NUMBER(c, -1, &out->launch, "SELECT launch FROM v_launch WHERE run = ?1 AND launch"
			" >= (SELECT min(launch) FROM v_op WHERE run = ?1"
			"  AND op BETWEEN ?2 AND ?2 + ?4) AND op > ?2 AND " ATTENDS
			" AND coalesce(step, -1) = ?3 ORDER BY launch LIMIT 1", c->run, op, step,
			WITHIN));
	TRY(VIEW_NUMBER(c, INT64_MAX, &op_of, "SELECT op FROM v_launch WHERE run = ?1"
			" AND launch = ?2", c->run, out->launch));
	return VIEW_NUMBER(c, -1, &out->op, "SELECT min(s.op) FROM v_softmax s"
			   " JOIN v_op o USING (run, op) WHERE s.run = ?1 AND s.op > ?2"
			   " AND s.op < ?3 AND coalesce(o.step, -1) = ?4", c->run, op, op_of, step);
}

/* Whether the operation loads rows into a cache: what reads them comes after it. */
static enum status is_load(const struct view_context *c, int64_t op, bool *load)
{
	int64_t found;

	TRY(VIEW_NUMBER(c, 0, &found, "SELECT 1 FROM v_op WHERE run = ?1 AND op = ?2"
			" AND kind = 'upload'", c->run, op));
	if (found) {
		TRY(store_index_kv(c->store));
		TRY(VIEW_NUMBER(c, 0, &found, "SELECT 1 FROM v_op o JOIN w_kv_cache w"
				" ON w.run = o.run AND w.buffer = o.buffer WHERE o.run = ?1"
				" AND o.op = ?2", c->run, op));
	}
	*load = found;
	return STATUS_OK;
}

static enum status find_attend(const struct view_context *c, struct attended *out)
{
	struct view_place here;
	int64_t op;
	bool load = false;

	*out = (struct attended){ -1, -1 };
	if (c->at.launch >= 0) {
		TRY(place_of(c, c->at.launch, &here));
		return attend_near(c, &here, &out->launch);
	}
	if (c->at.op >= 0)
		TRY(is_load(c, c->at.op, &load));
	if (load)
		TRY(attend_next(c, c->at.op, out));
	if (out->launch >= 0 || out->op >= 0)
		return STATUS_OK;
	TRY(view_place_last_op(c, &op));
	return attend_last(c, op, out);
}

static enum status take_host(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_place *p = state;

	(void)c;
	*p = (struct view_place){
		.launch = -1, .op = view_int(row, 0),
		.step = view_null(row, 1) ? -1 : view_int(row, 1),
		.layer = view_null(row, 2) ? -1 : view_int(row, 2),
		.grid = { view_int(row, 3), 1, 1 }, .block = { 1, 1, 1 },
		.kernel = "host_softmax",
	};
	return p->grid[0] > 0 && p->grid[0] <= UINT32_MAX ? STATUS_OK
		: fail(STATUS_DAMAGED, "op %" PRId64 ": bad number of heads", p->op);
}

static enum status find_place(const struct view_context *c, const struct attended *a,
			      struct view_place *out)
{
	if (a->op < 0)
		return place_of(c, a->launch, out);
	return VIEW_ROWS(c, take_host, out, "SELECT s.op, o.step, s.layer, s.heads FROM v_softmax s"
			 " JOIN v_op o USING (run, op) WHERE s.run = ?1 AND s.op = ?2", c->run,
			 a->op);
}

static enum status find_node(const struct view_context *c, struct step *s)
{
	int64_t op;

	if (s->attend.launch < 0)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, -1, &op, "SELECT object FROM v_op WHERE run = ?1 AND op = ?2", c->run,
			s->attend.op));
	if (op < 0)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, 0, &s->node.graph, "SELECT graph FROM v_node WHERE run = ?1"
			" AND op = ?2", c->run, op));
	return VIEW_NUMBER(c, 0, &s->node.first, "SELECT launch FROM v_node WHERE run = ?1"
			   " AND op = ?2", c->run, op);
}

static enum status find_reduce(const struct view_context *c, struct step *s)
{
	int64_t launch;

	s->reduce = (struct view_place){ .launch = -1 };
	if (s->form != STEP_CHUNKS)
		return STATUS_OK;
	TRY(VIEW_NUMBER(c, -1, &launch, "SELECT launch FROM v_launch WHERE run = ?1"
			" AND launch BETWEEN ?2 + 1 AND ?2 + ?5"
			" AND " SQL_MERGES("kernel")
			" AND coalesce(step, -1) = ?3 AND coalesce(layer, -1) = ?4"
			" ORDER BY launch LIMIT 1", c->run, s->attend.launch, s->attend.step,
			s->attend.layer, WITHIN));
	return launch < 0 ? STATUS_OK : place_of(c, launch, &s->reduce);
}

/* --- slot, head and chunk --- */

/* The spot of the address's block: of the launch that attends, or of the one that merges. */
static enum status choose_spot(const struct view_context *c, struct step *s)
{
	struct view_shape reduce;
	struct view_spot spot;
	enum status status;

	if (c->at.launch == s->attend.launch) {
		spot = view_shape_spot(c, &s->shape);
		if (s->form == STEP_CHUNKS)
			s->chosen = spot.chunk;
	} else {
		status = view_shape_read(c, &s->reduce, &reduce);
		spot = view_shape_spot(c, &reduce);
		view_shape_free(&reduce);
		TRY(status);
	}
	s->head = spot.head < s->heads ? spot.head : 0;
	s->slot = spot.slot < s->slots ? spot.slot : 0;
	if (s->form == STEP_ROWS && c->at.warp >= 0)
		s->chosen = c->at.warp;
	return STATUS_OK;
}

static enum status choose_block(const struct view_context *c, struct step *s)
{
	bool merge = c->at.launch >= 0 && c->at.launch == s->reduce.launch && c->at.block >= 0;

	TRY(view_shape_read(c, &s->attend, &s->shape));
	s->heads = s->shape.heads;
	s->slots = s->form == STEP_TILES ? 1 : s->shape.slots;
	s->head = c->head >= 0 && c->head < s->heads ? c->head : 0;
	s->slot = c->slot >= 0 && c->slot < s->slots ? c->slot : 0;
	s->chosen = -1;
	return merge || view_shape_named(c, &s->shape) ? choose_spot(c, s) : STATUS_OK;
}

/* The only key of an append by uploads has the newest position. */
static enum status choose_head_of_load(const struct view_context *c, struct step *s)
{
	if (c->at.op < 0 || c->at.op == s->attend.op || s->heads < 2)
		return STATUS_OK;
	return VIEW_NUMBER(c, s->head, &s->head, "SELECT kv_head FROM w_kv_load WHERE run = ?1"
			   " AND op = ?2 AND layer = ?3 AND kv_head < ?4"
			   " GROUP BY op HAVING count(DISTINCT kv_head) = 1",
			   c->run, c->at.op, s->attend.layer, s->heads);
}

static enum step_form form_of(const struct view_place *p)
{
	if (p->launch < 0)
		return STEP_HOST;
	if (view_role(p->kernel) == VIEW_CHUNKS)
		return STEP_CHUNKS;
	return step_has_queries(p->kernel) ? STEP_TILES : STEP_ROWS;
}

enum status step_find(const struct view_context *c, struct step *s, bool *found)
{
	struct attended attended;
	bool load = false;

	*s = (struct step){ .made = -1, .last_written = -1 };
	TRY(find_attend(c, &attended));
	*found = attended.launch >= 0 || attended.op >= 0;
	if (!*found)
		return STATUS_OK;
	TRY(find_place(c, &attended, &s->attend));
	s->form = form_of(&s->attend);
	TRY(find_reduce(c, s));
	TRY(find_node(c, s));
	if (view_shape_has_runs(s->attend.kernel))
		TRY(view_recompute(c, s->attend.launch, "softmax", &s->recomputed));
	TRY(choose_block(c, s));
	if (c->at.op >= 0)
		TRY(is_load(c, c->at.op, &load));
	if (load)
		TRY(choose_head_of_load(c, s));
	return s->form == STEP_TILES ? step_query_find(c, s) : STATUS_OK;
}
