/* view_shape.c - the shape of a launch, its blocks and what addresses mean in it; see view_shape.h.
 */
#include "tui/views/view_shape.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/head_sizes.h"
#include "kernels/split_rule.h"
#include "traces/kernel_names.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"
#include "tui/views/view_shape_plan.h"

#define TILE 32                         /* keys of a tile where a lane scores a key */
#define MAX_WARPS 8                     /* of a block that share keys */

/* --- kernels --- */

static bool begins(const char *kernel, const char *prefix)
{
	return strncmp(kernel, prefix, strlen(prefix)) == 0;
}

static enum view_shape_form form_of(const char *kernel)
{
	if (strcmp(kernel, KERNEL_GROUP) == 0)
		return SHAPE_GROUP;
	if (begins(kernel, KERNEL_SPLIT) || begins(kernel, KERNEL_STREAM)
	    || begins(kernel, KERNEL_TENSOR))
		return SHAPE_SPLIT;
	if (begins(kernel, KERNEL_PLANNED) || begins(kernel, KERNEL_FUSED))
		return SHAPE_PLANNED;
	if (begins(kernel, KERNEL_CLUSTER))
		return SHAPE_CLUSTER;
	return SHAPE_HEADS;
}

enum view_role view_role(const char *kernel)
{
	if (begins(kernel, KERNEL_CHUNK) || form_of(kernel) != SHAPE_HEADS)
		return VIEW_CHUNKS;
	if (begins(kernel, KERNEL_REDUCE) || begins(kernel, KERNEL_MERGE))
		return VIEW_MERGES;
	if (begins(kernel, KERNEL_PREFILL))
		return VIEW_QUERIES;
	return begins(kernel, "attention_") ? VIEW_WHOLE : VIEW_OTHER;
}

bool view_shape_has_runs(const char *kernel)
{
	return form_of(kernel) >= SHAPE_PLANNED;
}

/* --- reading --- */

static enum status take_argument(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_shape *s = state;
	const struct { const char *name; int64_t *value; } arguments[] = {
		{ "H", &s->heads }, { "Hkv", &s->kv_heads }, { "D", &s->d },
	};

	(void)c;
	for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
		if (strcmp(view_text(row, 0), arguments[i].name) == 0)
			*arguments[i].value = view_int(row, 1);
	return STATUS_OK;
}

/* A grid with a plan says nothing of slots; the partials [M, H, SPLITS, D + 2] do. */
static enum status read_slots(const struct view_context *c, struct view_shape *s)
{
	return VIEW_NUMBER(c, 0, &s->slots, "SELECT json_extract(b.shape, '$[0]') FROM v_arg a"
			   " JOIN v_buffer b ON b.run = a.run AND b.buffer = a.buffer"
			   " WHERE a.run = ?1 AND a.op = ?2 AND a.name = 'partials'", c->run,
			   s->place.op);
}

/* Whether the launch is one of our kernel; a user's may have the same name. */
static bool is_ours(const struct view_shape *s)
{
	if (s->form == SHAPE_CLUSTER && (s->place.grid[2] != CLUSTER_BLOCKS || s->d > INT_MAX
					 || !head_size_has((int)s->d)))
		return false;
	return s->kv_heads >= 1 && s->heads >= s->kv_heads && s->heads % s->kv_heads == 0
		&& s->heads / s->kv_heads <= SPLIT_MAX_GROUP && s->d >= 1;
}

/* The ladder's kernels have all query heads of a KV head in a block. */
static enum status read_group(const struct view_context *c, struct view_shape *s)
{
	if (s->form == SHAPE_PLANNED)
		TRY(read_slots(c, s));
	if (view_shape_runs(s))
		s->chunks = SPLITS;
	if (s->slots < 1)
		s->slots = 1;
	s->group = s->heads / s->kv_heads;
	s->merges = s->form == SHAPE_CLUSTER || begins(s->place.kernel, KERNEL_FUSED);
	if (s->form == SHAPE_GROUP)
		return STATUS_OK;
	s->warps = SPLIT_WARPS;
	s->tile = SPLIT_TILE(s->d);
	s->tensor = strstr(s->place.kernel, "_tensor_") != NULL;
	s->scored = s->tensor ? 8 : s->group <= 2 ? (int)s->group : 4;
	return view_shape_plan(c, s);
}

enum status view_shape_read(const struct view_context *c, const struct view_place *p,
			    struct view_shape *s)
{
	int64_t warps = view_place_threads(p) / 32;

	*s = (struct view_shape){
		.place = *p, .form = form_of(p->kernel), .tile = TILE, .group = 1,
		.heads = p->grid[0] > 0 ? p->grid[0] : 1, .slots = p->grid[1] > 0 ? p->grid[1] : 1,
		.chunks = p->grid[2] > 0 ? p->grid[2] : 1,
		.warps = warps < 1 ? 1 : warps < MAX_WARPS ? (int)warps : MAX_WARPS,
	};
	s->kv_heads = s->heads;
	if (p->launch < 0)
		return STATUS_OK;
	TRY(VIEW_ROWS(c, take_argument, s, "SELECT name, value FROM v_arg WHERE run = ?1"
		      " AND op = ?2 AND name IN ('H', 'Hkv', 'D')", c->run, p->op));
	if (s->form == SHAPE_HEADS || !is_ours(s)) {
		s->form = SHAPE_HEADS;
		s->heads = p->grid[0] > 0 ? p->grid[0] : 1;
		return STATUS_OK;
	}
	/* Each warp has a query head and all keys. */
	s->warps = 1;
	return read_group(c, s);
}

void view_shape_free(struct view_shape *s)
{
	free(s->units);
	s->units = NULL;
	s->unit_count = 0;
}

/* --- blocks --- */

bool view_shape_runs(const struct view_shape *s)
{
	return s->form >= SHAPE_PLANNED;
}

bool view_shape_packed(const struct view_shape *s)
{
	return s->form != SHAPE_HEADS;
}

int64_t view_shape_kv_head(const struct view_shape *s, int64_t head)
{
	return s->kv_heads > 0 && s->kv_heads <= s->heads ? head * s->kv_heads / s->heads : 0;
}

int64_t view_shape_unit(const struct view_shape *s, int64_t slot, int64_t head, int64_t chunk)
{
	int64_t kv_head = view_shape_kv_head(s, head), low = 0, high = s->unit_count;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		const struct view_unit *u = &s->units[middle];
		bool before = u->slot != slot ? u->slot < slot : u->kv_head != kv_head
			? u->kv_head < kv_head : u->chunk < chunk;

		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == s->unit_count || s->units[low].slot != slot || s->units[low].kv_head != kv_head
	    || s->units[low].chunk != chunk)
		return -1;
	return low;
}

int64_t view_shape_block(const struct view_shape *s, int64_t slot, int64_t head, int64_t chunk)
{
	int64_t columns = view_shape_packed(s) ? s->kv_heads : s->heads, block;
	int64_t column = view_shape_packed(s) ? view_shape_kv_head(s, head) : head;

	if (head < 0 || head >= s->heads || slot < 0 || slot >= s->slots || chunk < 0)
		return -1;
	if (view_shape_runs(s)) {
		block = view_shape_unit(s, slot, head, chunk);
		return block < 0 ? -1 : s->units[block].block;
	}
	if (__builtin_mul_overflow(s->slots, chunk, &block)
	    || __builtin_add_overflow(block, slot, &block)
	    || __builtin_mul_overflow(block, columns, &block)
	    || __builtin_add_overflow(block, column, &block))
		return -1;
	return block >= 0 && block < view_place_blocks(&s->place) ? block : -1;
}

bool view_shape_empty_wrong(const struct view_shape *s, float max, float sum)
{
	return !view_shape_runs(s) && !(isinf(max) && max < 0.0f && sum == 0.0f);
}

const char *view_shape_empty_text(const struct view_shape *s, bool wrong)
{
	return wrong ? "WRONG: max -inf and sum 0 expected"
		: view_shape_runs(s) ? view_shape_left_out(s) : "max -inf and sum 0 as it must be";
}

const char *view_shape_left_out(const struct view_shape *s)
{
	return s->form == SHAPE_PLANNED ? "not in the plan"
		: s->form == SHAPE_CLUSTER ? "in no block" : NULL;
}

/* --- who merges --- */

const char *view_shape_merger(const struct view_shape *s)
{
	return s->form == SHAPE_CLUSTER ? "cluster" : "last block";
}

void view_shape_merged_by(const struct view_shape *s, int64_t slot, int64_t head, int64_t element,
			  struct address *at)
{
	int64_t share = CLUSTER_SHARE(s->group, s->d);
	int64_t vector = head % s->group * (s->d / 4) + element / 4, rank = vector / share;

	at->launch = s->place.launch;
	at->block = view_shape_kv_head(s, head) + s->kv_heads * (slot + s->slots * rank);
	at->warp = vector % share / 32;
	at->lane = vector % share % 32;
	at->point = at->access = -1;
	at->end = false;
}

int64_t view_shape_merged_head(const struct view_shape *s, int64_t block, int64_t thread)
{
	int64_t share = CLUSTER_SHARE(s->group, s->d), rank = block / s->kv_heads / s->slots;
	int64_t vector = rank * share + thread;

	return thread < share && vector < s->group * (s->d / 4)
		? block % s->kv_heads * s->group + vector / (s->d / 4) : -1;
}

/* --- addresses --- */

/* A head of the group: that of the thread, else the one shown last, else the first. */
static int64_t head_of(const struct view_context *c, const struct view_shape *s, int64_t kv_head)
{
	int64_t first = kv_head * s->group;

	if (s->form == SHAPE_GROUP && c->at.warp >= 0 && c->at.warp < s->group)
		return first + c->at.warp;
	return c->head >= first && c->head < first + s->group ? c->head : first;
}

/* One of the row shown last, else the first of the block; -1: none. */
static int64_t unit_of(const struct view_context *c, const struct view_shape *s)
{
	int64_t first = -1, shown = -1;

	for (int64_t i = 0; i < s->unit_count; i++) {
		const struct view_unit *u = &s->units[i];

		if (u->block != c->at.block)
			continue;
		if (first < 0)
			first = i;
		if (shown < 0 && u->slot == c->slot && c->head >= u->kv_head * s->group
		    && c->head < (u->kv_head + 1) * s->group)
			shown = i;
	}
	return shown >= 0 ? shown : first;
}

static struct view_spot run_spot(const struct view_context *c, const struct view_shape *s)
{
	int64_t unit = unit_of(c, s);

	if (unit < 0 && s->form == SHAPE_CLUSTER)
		return (struct view_spot){ c->at.block / s->kv_heads % s->slots,
					   head_of(c, s, c->at.block % s->kv_heads), -1 };
	if (unit < 0)
		return (struct view_spot){ 0, 0, -1 };
	return (struct view_spot){ s->units[unit].slot, head_of(c, s, s->units[unit].kv_head),
				   s->units[unit].chunk };
}

/* The partials are [M, H, chunks, D + 2]. */
static bool names_element(const struct view_context *c, const struct view_shape *s)
{
	return c->at.block < 0 && c->at.output == 0 && c->at.element >= 0 && view_shape_packed(s);
}

bool view_shape_named(const struct view_context *c, const struct view_shape *s)
{
	return c->at.launch >= 0 && c->at.launch == s->place.launch
		&& (c->at.block >= 0 || names_element(c, s));
}

static struct view_spot element_spot(const struct view_context *c, const struct view_shape *s)
{
	int64_t chunk = c->at.element / (s->d + 2);

	return (struct view_spot){ chunk / s->chunks / s->heads % s->slots,
				   chunk / s->chunks % s->heads, chunk % s->chunks };
}

struct view_spot view_shape_spot(const struct view_context *c, const struct view_shape *s)
{
	int64_t columns = view_shape_packed(s) ? s->kv_heads : s->heads, block = c->at.block;
	struct view_shape_point point = { .unit = -1 };

	if (names_element(c, s))
		return element_spot(c, s);
	if (c->at.warp >= 0 && c->at.lane >= 0 && c->at.point >= 0 && s->units)
		point = view_shape_point(s, block, c->at.warp, c->at.lane, c->at.point);
	if (point.unit >= 0)
		return (struct view_spot){ s->units[point.unit].slot, point.head,
					   s->units[point.unit].chunk };
	if (view_shape_runs(s))
		return run_spot(c, s);
	return (struct view_spot){
		.slot = block / columns % s->slots, .chunk = block / columns / s->slots,
		.head = view_shape_packed(s) ? head_of(c, s, block % columns) : block % columns,
	};
}

/* Whether a block with this chunk has other units too. */
static bool shares_block(const struct view_shape *s, int64_t unit)
{
	return view_shape_runs(s)
		&& ((unit > 0 && s->units[unit - 1].block == s->units[unit].block)
		    || (unit + 1 < s->unit_count
			&& s->units[unit + 1].block == s->units[unit].block));
}

void view_shape_address(const struct view_shape *s, int64_t slot, int64_t head, int64_t chunk,
			struct address *at)
{
	int64_t unit = s->units ? view_shape_unit(s, slot, head, chunk) : -1, lane;

	at->launch = s->place.launch;
	at->block = view_shape_block(s, slot, head, chunk);
	at->warp = at->lane = at->point = at->access = -1;
	at->end = false;
	if (s->form == SHAPE_GROUP && s->group > 1 && at->block >= 0)
		at->warp = head % s->group;
	/* A unit without keys has no points; a block with one head and chunk names both. */
	if (unit < 0 || s->units[unit].begin >= s->units[unit].end
	    || (s->group == 1 && !shares_block(s, unit)))
		return;
	lane = view_shape_lanes(s, head).first;
	at->point = view_shape_points_before(s, unit, 0, lane);
	while (view_shape_point(s, at->block, 0, lane, at->point).head != head
	       || !view_shape_point(s, at->block, 0, lane, at->point).softmax)
		at->point++;
	at->warp = 0;
	at->lane = lane;
}

void view_shape_anchor(const struct view_context *c, const struct view_shape *s, int64_t slot,
		       int64_t head, int64_t chunk)
{
	struct address at = address_none;
	struct view_spot here = { -1, -1, -1 };

	view_shape_address(s, slot, head, chunk, &at);
	if (at.block < 0)
		return;
	if (view_shape_named(c, s) && c->at.block >= 0 && c->at.warp < 0)
		here = view_shape_spot(c, s);
	if (here.slot == slot && here.head == head && here.chunk == chunk)
		at.warp = at.lane = at.point = -1;
	at.run = c->run > 1 ? c->run : -1;
	display_anchor(c->out, &at);
}

void view_shape_describe(const struct view_shape *s, char text[160])
{
	const char *column = view_shape_packed(s) ? "KV head" : "head";
	const char *last = s->form == SHAPE_CLUSTER ? "rank in its cluster" : "chunk";
	int64_t columns = view_shape_packed(s) ? s->kv_heads : s->heads;
	char has[64] = "";

	if (s->form == SHAPE_PLANNED) {
		snprintf(text, 160, "the plan gives each of %" PRId64 " blocks a run of chunks,"
			 " for %" PRId64 " query head%s each", s->place.grid[0], s->group,
			 view_plural(s->group));
		return;
	}
	if (s->form == SHAPE_GROUP)
		snprintf(has, sizeof has, ", warp = head of its %" PRId64, s->group);
	if (s->form == SHAPE_SPLIT || s->form == SHAPE_CLUSTER)
		snprintf(has, sizeof has, ", for its %" PRId64 " query head%s", s->group,
			 view_plural(s->group));
	if (s->slots > 1)
		snprintf(text, 160, "block = %s + %" PRId64 " %ss x (slot + %" PRId64
			 " slots x %s)%s", column, columns, column, s->slots, last, has);
	else
		snprintf(text, 160, "block = %s + %" PRId64 " %ss x %s%s", column, columns, column,
			 last, has);
}
