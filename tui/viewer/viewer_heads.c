/* viewer_heads.c - the keys that go to the same place of another head, slot or layer.
 *
 * Which block that is depends on the kernel (tui/views/view_shape.h). Those of prefill launches
 * have a tile of queries in place of the slot: each slot has a launch of its own.
 */
#include "config.h"

#include "tui/viewer/viewer_heads.h"

#include <string.h>

#include "traces/kernel_names.h"
#include "tui/viewer/viewer_actions.h"
#include "tui/views/step/step.h"
#include "tui/views/view_list.h"
#include "tui/views/view_query.h"

#define WITHIN 4096                     /* launches of a step, at most */

static int64_t at_least_1(int64_t n)
{
	return n > 0 ? n : 1;
}

void viewer_note_head(struct viewer *v)
{
	struct view_context c = viewer_context(v, 0);
	struct view_place place;
	struct view_shape shape;
	struct view_spot at;
	bool found;

	if (c.at.launch < 0 || (c.at.block < 0 && c.at.element < 0))
		return;
	if (view_place_find(&c, "w_attention", &place, &found) != STATUS_OK) {
		error_clear();
		return;
	}
	if (!found || view_role(place.kernel) == VIEW_OTHER)
		return;
	if (view_shape_read(&c, &place, &shape) != STATUS_OK) {
		error_clear();
	} else if (view_shape_named(&c, &shape)) {
		at = view_shape_spot(&c, &shape);
		v->head = at.head;
		if (!step_has_queries(place.kernel))
			v->slot = at.slot;
	}
	view_shape_free(&shape);
}

/* The launch of the address, else the last that attends up to its end; on the Step screen what it
 * shows, which may be attention on the host, of launch -1. */
static enum status find_launch(struct viewer *v, struct view_place *place, bool *found)
{
	struct view_context c = viewer_context(v, 0);
	struct step step;

	if (v->here.view == &view_step && c.at.launch < 0) {
		enum status status = step_find(&c, &step, found);

		*place = step.attend;
		step_free(&step);
		TRY(status);
	} else {
		TRY(view_place_find(&c, "w_attention", place, found));
	}
	if (!*found)
		viewer_say(v, "no launch attends up to here");
	return STATUS_OK;
}

/* The place in its launch, with a block: that of the address, else of the head shown last. */
static struct address with_block(const struct viewer *v, const struct view_place *p)
{
	int64_t heads = at_least_1(p->grid[0]), slots = at_least_1(p->grid[1]);
	struct address at = v->here.at;

	if (at.launch < 0) {
		at = address_none;
		at.run = v->here.at.run;
		at.launch = p->launch;
	}
	/* Of a prefill launch, the last query is shown. */
	if (at.block < 0)
		at.block = (step_has_queries(p->kernel)
			    ? step_query_row(p->kernel, slots, slots - 1) : v->slot % slots) * heads
			+ v->head % heads;
	/* The query of a prefill launch stays. */
	if (!step_has_queries(p->kernel))
		at.warp = at.lane = -1;
	at.point = at.access = -1;
	at.end = false;
	return at;
}

static int64_t turned(int64_t n, int64_t by, int64_t count)
{
	return (n + by + count) % count;
}

/* The next tile of queries; after the last one, the first of the next slot's launch. */
static enum status move_prefill(struct viewer *v, const struct view_place *p, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = with_block(v, p);
	int64_t heads = at_least_1(p->grid[0]), tiles = at_least_1(p->grid[1]), launch;
	int64_t tile = step_query_row(p->kernel, tiles, at.block / heads) + direction;

	TRY(VIEW_NUMBER(&c, p->launch, &launch, "SELECT launch FROM v_launch WHERE run = ?1"
			" AND launch BETWEEN ?2 - ?3 AND ?2 + ?3 AND launch <> ?2"
			" AND " SQL_PREFILLS("kernel")
			" AND coalesce(step, -1) = ?4 AND coalesce(layer, -1) = ?5"
			" ORDER BY (launch - ?2) * ?6 < 0, launch * ?6 LIMIT 1",
			c.run, p->launch, WITHIN, p->step, p->layer, direction));
	if (launch == p->launch && tiles == 1) {
		viewer_say(v, "this launch has one slot and one tile of queries");
		return STATUS_OK;
	}
	at.warp = at.lane = -1;
	at.block = at.block % heads
		+ step_query_row(p->kernel, tiles, turned(tile, 0, tiles)) * heads;
	if (tile < 0 || tile >= tiles) {
		at.launch = launch;
		at.block %= heads;
	}
	viewer_go(v, &at);
	return STATUS_OK;
}

/* Attention on the host has no blocks: its operation is the place of all heads. */
static enum status move_host(struct viewer *v, const struct view_place *p, int by_head)
{
	struct address at = v->here.at;

	if (!by_head) {
		viewer_say(v, "attention on the host has one slot");
		return STATUS_OK;
	}
	if (at.op >= 0)
		at.op = p->op;
	v->head = turned(v->head % at_least_1(p->grid[0]), by_head, at_least_1(p->grid[0]));
	viewer_go(v, &at);
	return STATUS_OK;
}

/* The same tile of queries of the next head. */
static void move_prefill_head(struct viewer *v, const struct view_place *p, int by_head)
{
	struct address at = with_block(v, p);
	int64_t heads = at_least_1(p->grid[0]), head = at.block % heads;

	at.block += turned(head, by_head, heads) - head;
	viewer_go(v, &at);
}

/* The same chunk of the next head or slot, or its first one if there are fewer. */
static void move_in(struct viewer *v, const struct view_shape *s, int by_head, int by_slot)
{
	struct view_context c = viewer_context(v, 0);
	struct view_spot to = { v->slot % s->slots, v->head % s->heads, 0 };
	struct address at = address_none;

	if (view_shape_named(&c, s))
		to = view_shape_spot(&c, s);
	to.head = turned(to.head, by_head, s->heads);
	to.slot = turned(to.slot, by_slot, s->slots);
	if (view_shape_block(s, to.slot, to.head, to.chunk) < 0)
		to.chunk = 0;
	at.run = v->here.at.run;
	view_shape_address(s, to.slot, to.head, to.chunk, &at);
	v->head = to.head;
	v->slot = to.slot;
	viewer_go(v, &at);
}

static enum status move_launch(struct viewer *v, const struct view_place *p, int by_head,
			       int by_slot)
{
	struct view_context c = viewer_context(v, 0);
	struct view_shape shape;
	enum status status = view_shape_read(&c, p, &shape);

	if (status == STATUS_OK && by_slot && shape.slots == 1)
		viewer_say(v, "this launch has one slot");
	else if (status == STATUS_OK)
		move_in(v, &shape, by_head, by_slot);
	view_shape_free(&shape);
	return status;
}

/* Goes to the same chunk or row of the next head or slot, and wraps around within the launch. */
static enum status move(struct viewer *v, int by_head, int by_slot)
{
	struct view_place place;
	bool found;

	TRY(find_launch(v, &place, &found));
	if (!found)
		return STATUS_OK;
	if (place.launch < 0)
		return move_host(v, &place, by_head);
	if (!step_has_queries(place.kernel))
		return move_launch(v, &place, by_head, by_slot);
	if (by_slot)
		return move_prefill(v, &place, by_slot);
	move_prefill_head(v, &place, by_head);
	return STATUS_OK;
}

/* The same operation of the next layer in the step. */
static enum status move_host_layer(struct viewer *v, const struct view_place *p, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct address at = address_none;

	at.run = v->here.at.run;
	TRY(VIEW_NUMBER(&c, p->op, &at.op, "SELECT s.op FROM v_softmax s JOIN v_op o"
			" USING (run, op) WHERE s.run = ?1 AND o.step = ?3 AND s.op <> ?2"
			" ORDER BY (s.op - ?2) * ?4 < 0, s.op * ?4 LIMIT 1",
			c.run, p->op, p->step, direction));
	viewer_go(v, &at);
	return STATUS_OK;
}

/* Goes to the launch of the same kernel in the next layer of the step, and wraps around. */
static enum status move_layer(struct viewer *v, int direction)
{
	struct view_context c = viewer_context(v, 0);
	struct view_place place;
	struct address at;
	int64_t launch;
	bool found;

	TRY(find_launch(v, &place, &found));
	if (found && place.launch < 0)
		return move_host_layer(v, &place, direction);
	if (!found || place.layer < 0) {
		viewer_say(v, "no layers here");
		return STATUS_OK;
	}
	at = with_block(v, &place);
	at.block = v->here.at.launch < 0 ? -1 : v->here.at.block;
	TRY(VIEW_NUMBER(&c, -1, &launch, direction > 0
			? "SELECT launch FROM v_launch WHERE run = ?1 AND launch BETWEEN ?2 - ?3"
			  " AND ?2 + ?3 AND coalesce(step, -1) = ?4 AND layer IS NOT NULL"
			  " AND layer <> ?5 AND kernel = (SELECT kernel FROM v_launch"
			  "  WHERE run = ?1 AND launch = ?2) ORDER BY layer < ?5, layer,"
			  " abs(launch - ?2) LIMIT 1"
			: "SELECT launch FROM v_launch WHERE run = ?1 AND launch BETWEEN ?2 - ?3"
			  " AND ?2 + ?3 AND coalesce(step, -1) = ?4 AND layer IS NOT NULL"
			  " AND layer <> ?5 AND kernel = (SELECT kernel FROM v_launch"
			  "  WHERE run = ?1 AND launch = ?2) ORDER BY layer > ?5, layer DESC,"
			  " abs(launch - ?2) LIMIT 1",
			c.run, place.launch, WITHIN, place.step, place.layer));
	if (launch < 0) {
		viewer_say(v, "the step has one layer");
		return STATUS_OK;
	}
	at.launch = launch;
	viewer_go(v, &at);
	return STATUS_OK;
}

#define MOVE(name, call) \
	enum status viewer_##name(struct viewer *v, int key) \
	{ \
		(void)key; \
		return call; \
	}
MOVE(next_head, move(v, 1, 0))
MOVE(previous_head, move(v, -1, 0))
MOVE(next_slot, move(v, 0, 1))
MOVE(previous_slot, move(v, 0, -1))
MOVE(next_layer, move_layer(v, 1))
MOVE(previous_layer, move_layer(v, -1))
