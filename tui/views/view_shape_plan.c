/* view_shape_plan.c - the units of a launch of the ladder; see view_shape_plan.h.
 *
 * A trace has no bytes of a plan, which flash_decode_plan makes of the lengths alone. It is
 * computed here by the same rule: a unit belongs to block floor(c * blocks / total), where c is
 * what all units before it cost.
 */
#include "tui/views/view_shape_plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "kernels/plan_rule.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

/* More than any cache and GPU have; products of these fit into 64 bits. */
#define MAX_ROWS ((int64_t)1 << 16)     /* slots x KV heads */
#define MAX_KEYS ((int64_t)1 << 30)
#define MAX_BLOCKS ((int64_t)1 << 16)   /* that a plan gives units to */

struct lengths {
	int64_t slots;
	int64_t *keys;                  /* [slots]; -1: unknown */
};

static enum status take_length(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct lengths *l = state;
	int64_t slot = view_int(row, 0), keys = view_int(row, 1);

	(void)c;
	if (slot < 0 || slot >= l->slots || view_null(row, 1))
		return STATUS_OK;
	if (keys < 0 || keys > MAX_KEYS)
		return fail(STATUS_DAMAGED, "slot %" PRId64 " has %" PRId64 " keys", slot, keys);
	l->keys[slot] = keys;
	return STATUS_OK;
}

/* All heads of a slot have the same keys. */
static enum status read_lengths(const struct view_context *c, const struct view_shape *s,
				struct lengths *l)
{
	return VIEW_ROWS(c, take_length, l, "WITH RECURSIVE slots(n) AS (SELECT 0 UNION ALL"
			 "  SELECT n + 1 FROM slots WHERE n + 1 < ?3) SELECT n,"
			 "  (SELECT max(key_end) FROM v_partial WHERE run = ?1 AND launch = ?2"
			 "   AND slot = n AND head = 0) FROM slots", c->run, s->place.launch,
			 s->slots);
}

/* The block of a cluster that has a chunk of `used`. */
static int64_t rank_of(int64_t chunk, int64_t used)
{
	int64_t rank = 0;

	while (CLUSTER_FIRST(rank + 1, used) <= chunk)
		rank++;
	return rank;
}

static void add_row(struct view_shape *s, int64_t slot, int64_t kv_head, int64_t keys)
{
	int64_t used = PLAN_UNITS(keys), each = SPLIT_KEYS(keys);

	for (int64_t i = 0; i < used; i++) {
		int64_t z = s->form == SHAPE_CLUSTER ? rank_of(i, used) : i;

		s->units[s->unit_count++] = (struct view_unit){
			.slot = slot, .kv_head = kv_head, .chunk = i, .begin = i * each,
			.end = (i + 1) * each < keys ? (i + 1) * each : keys,
			.block = kv_head + s->kv_heads * (slot + s->slots * z),
		};
	}
}

static void give_blocks(struct view_shape *s)
{
	int64_t total = 0, cost = 0;

	for (int64_t i = 0; i < s->unit_count; i++)
		total += PLAN_COST(s->units[i].end - s->units[i].begin);
	for (int64_t i = 0; i < s->unit_count; i++) {
		s->units[i].block = cost * s->place.grid[0] / total;
		cost += PLAN_COST(s->units[i].end - s->units[i].begin);
	}
}

static void make_units(struct view_shape *s, const struct lengths *l)
{
	int64_t count = 0;

	for (int64_t slot = 0; slot < s->slots; slot++)
		count += s->kv_heads * PLAN_UNITS(l->keys[slot]);
	s->units = xcalloc((size_t)count, sizeof *s->units);
	for (int64_t slot = 0; slot < s->slots; slot++)
		for (int64_t kv_head = 0; kv_head < s->kv_heads; kv_head++)
			add_row(s, slot, kv_head, l->keys[slot]);
	if (s->form == SHAPE_PLANNED)
		give_blocks(s);
}

enum status view_shape_plan(const struct view_context *c, struct view_shape *s)
{
	struct lengths l = { .slots = s->slots };
	enum status status;
	bool known = true;

	if (s->slots < 1 || s->kv_heads < 1 || s->slots > MAX_ROWS / s->kv_heads
	    || (s->form == SHAPE_PLANNED && s->place.grid[0] > MAX_BLOCKS))
		return STATUS_OK;
	l.keys = xcalloc((size_t)s->slots, sizeof *l.keys);
	for (int64_t i = 0; i < s->slots; i++)
		l.keys[i] = -1;
	status = read_lengths(c, s, &l);
	for (int64_t i = 0; i < s->slots; i++)
		known &= l.keys[i] >= 0;
	if (status == STATUS_OK && known)
		make_units(s, &l);
	free(l.keys);
	return status;
}
