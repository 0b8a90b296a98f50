/* viewer_heads.c - the keys that go to the same place of another head, slot or layer.
 *
 * Blocks of attention launches are numbered head first, then slot; see view_scores.h. Those of
 * prefill launches have a tile of queries in place of the slot: each slot has a launch of its own.
 */
#include "config.h"

#include "tui/viewer/viewer_heads.h"

#include <string.h>

#include "tui/viewer/viewer_actions.h"
#include "tui/views/step/step.h"
#include "tui/views/view_list.h"
#include "tui/views/view_query.h"

#define WITHIN 4096                     /* launches of a step, at most */

static int64_t at_least_1(int64_t n)
{
	return n > 0 ? n : 1;
}

static bool is_attention(const struct view_place *p)
{
	return strncmp(p->kernel, "flash_decode", 12) == 0
		|| strncmp(p->kernel, "attention_", 10) == 0;
}

static bool is_prefill(const struct view_place *p)
{
	return strcmp(p->kernel, "attention_prefill") == 0;
}

void viewer_note_head(struct viewer *v)
{
	struct view_context c = viewer_context(v, 0);
	struct view_place place;
	bool found;

	if (c.at.launch < 0 || c.at.block < 0)
		return;
	if (view_place_find(&c, "w_attention", &place, &found) != STATUS_OK) {
		error_clear();
		return;
	}
	if (found && is_attention(&place)) {
		v->head = c.at.block % at_least_1(place.grid[0]);
		if (!is_prefill(&place))
			v->slot = c.at.block / at_least_1(place.grid[0])
				% at_least_1(place.grid[1]);
	}
}

/* The launch of the address, else the last that attends up to its end; on the Step screen what it
 * shows, which may be attention on the host, of launch -1. */
static enum status find_launch(struct viewer *v, struct view_place *place, bool *found)
{
	struct view_context c = viewer_context(v, 0);
	struct step step;

	if (v->here.view == &view_step && c.at.launch < 0) {
		TRY(step_find(&c, &step, found));
		*place = step.attend;
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
		at.block = (is_prefill(p) ? slots - 1 : v->slot % slots) * heads + v->head % heads;
	/* The query of a prefill launch stays. */
	if (!is_prefill(p))
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
	int64_t tile = at.block / heads + direction;

	TRY(VIEW_NUMBER(&c, p->launch, &launch, "SELECT launch FROM v_launch WHERE run = ?1"
			" AND launch BETWEEN ?2 - ?3 AND ?2 + ?3 AND launch <> ?2"
			" AND kernel = 'attention_prefill' AND coalesce(step, -1) = ?4"
			" AND coalesce(layer, -1) = ?5"
			" ORDER BY (launch - ?2) * ?6 < 0, launch * ?6 LIMIT 1",
			c.run, p->launch, WITHIN, p->step, p->layer, direction));
	if (launch == p->launch && tiles == 1) {
		viewer_say(v, "this launch has one slot and one tile of queries");
		return STATUS_OK;
	}
	at.warp = at.lane = -1;
	at.block = at.block % heads + turned(tile, 0, tiles) * heads;
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

/* Goes to the same chunk or row of the next head or slot, and wraps around within the launch. */
static enum status move(struct viewer *v, int by_head, int by_slot)
{
	struct view_place place;
	int64_t heads, slots, head, slot;
	struct address at;
	bool found;

	TRY(find_launch(v, &place, &found));
	if (!found)
		return STATUS_OK;
	if (place.launch < 0)
		return move_host(v, &place, by_head);
	heads = at_least_1(place.grid[0]);
	slots = at_least_1(place.grid[1]);
	if (by_slot && is_prefill(&place))
		return move_prefill(v, &place, by_slot);
	if (by_slot && slots == 1) {
		viewer_say(v, "this launch has one slot");
		return STATUS_OK;
	}
	at = with_block(v, &place);
	head = at.block % heads;
	slot = at.block / heads % slots;
	at.block += turned(head, by_head, heads) - head
		+ (turned(slot, by_slot, slots) - slot) * heads;
	viewer_go(v, &at);
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
