/* step_frames.c - the frames of a step as it happened, each with its address; see step.h. */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

#define WITHIN 256                      /* launches of a layer before the one that attends */

struct frames {
	const struct step *step;
	struct step_frame *items;
	int64_t count, run;
};

static struct step_frame *add(struct frames *f, enum step_frame_kind kind, int64_t launch,
			      int64_t block)
{
	struct step_frame *frame;

	if ((f->count & (f->count - 1)) == 0)
		f->items = xreallocarray(f->items, (size_t)(f->count ? 2 * f->count : 1),
					 sizeof *f->items);
	frame = &f->items[f->count++];
	*frame = (struct step_frame){ .kind = kind, .at = address_none };
	frame->at.run = f->run;
	frame->at.launch = launch;
	frame->at.block = block;
	return frame;
}

static enum status take_scatter(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const char *tensors = view_text(row, 1);

	(void)c;
	add(state, FRAME_APPEND, view_int(row, 0), -1)->tensor = tensors[1] ? 0 : tensors[0];
	return STATUS_OK;
}

/* Scatters since the attention before: a path without slots in its grid attends for one slot after
 * the other. */
static enum status add_scatters(const struct view_context *c, struct frames *f)
{
	const struct view_place *p = &f->step->attend;

	return VIEW_ROWS(c, take_scatter, f, "SELECT launch,"
			 " (SELECT group_concat(DISTINCT tensor) FROM v_kv k WHERE k.run = ?1"
			 "  AND k.op = l.op) FROM v_launch l WHERE run = ?1"
			 " AND launch BETWEEN ?2 - ?5 AND ?2 - 1 AND kernel GLOB '*scatter*'"
			 " AND coalesce(step, -1) = ?3 AND coalesce(layer, -1) = ?4"
			 " AND launch > coalesce((SELECT max(launch) FROM v_launch WHERE run = ?1"
			 "  AND launch BETWEEN ?2 - ?5 AND ?2 - 1 AND kernel GLOB 'attention_*'),"
			 "  -1) ORDER BY launch", c->run, p->launch, p->step, p->layer, WITHIN);
}

static enum status take_load(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step_frame *frame = add(state, FRAME_APPEND, -1, -1);

	(void)c;
	frame->at.op = view_int(row, 0);
	frame->tensor = *view_text(row, 1);
	return STATUS_OK;
}

/* The uploads of K and V of the newest key. */
static enum status add_loads(const struct view_context *c, struct frames *f)
{
	const struct step *s = f->step;

	if (step_new_key(s) < 0)
		return STATUS_OK;
	TRY(store_index_kv(c->store));
	return VIEW_ROWS(c, take_load, f, "SELECT max(op), tensor FROM w_kv_load WHERE run = ?1"
			 " AND layer = ?2 AND slot = ?3 AND position = ?4 AND kv_head = ?5"
			 " AND op < ?6 GROUP BY tensor ORDER BY 1", c->run, s->attend.layer,
			 step_sequence(s), step_new_key(s), s->kv_head, s->attend.op);
}

static enum status add_appends(const struct view_context *c, struct frames *f)
{
	if (f->step->attend.launch >= 0)
		TRY(add_scatters(c, f));
	return f->count == 0 ? add_loads(c, f) : STATUS_OK;
}

static void name_point(struct step_frame *frame, int64_t warp, int64_t lane, int64_t point)
{
	frame->at.warp = warp;
	frame->at.lane = lane;
	frame->at.point = point;
}

/* The place of a partial is its block. Of a block with several heads or chunks it is the element of
 * the partials [M, H, chunks, D + 2] that has the maximum. */
static void add_partial(struct frames *f, int64_t index)
{
	const struct step *s = f->step;
	const struct step_chunk *k = &s->chunks[index];
	struct step_frame *frame = add(f, FRAME_PARTIAL, s->attend.launch, k->block);

	frame->chunk = index;
	if (!view_shape_packed(&s->shape))
		return;
	frame->at.block = -1;
	frame->at.output = 0;
	frame->at.element = ((s->slot * s->heads + s->head) * s->shape.chunks + k->number)
		* (s->d + 2)
		+ s->d;
}

/* A tile of keys, whose first thread published it. */
static void add_key_tile(struct frames *f, int64_t index)
{
	const struct step *s = f->step;
	struct step_frame *frame;

	if (!s->published)
		return;
	frame = add(f, FRAME_TILE, s->attend.launch, -1);
	frame->chunk = index;
	step_tile_address(s, index, &frame->at);
}

static void add_chunk(struct frames *f, int64_t index)
{
	const struct step *s = f->step;
	const struct step_chunk *k = &s->chunks[index];

	if (s->tiled) {
		add_key_tile(f, index);
		return;
	}

	for (int64_t i = 0; i < k->tile_count; i++) {
		struct step_frame *frame = add(f, FRAME_TILE, s->attend.launch, k->block);

		frame->chunk = index;
		frame->tile = i;
		name_point(frame, k->tiles[i].warp, k->tiles[i].lane, k->tiles[i].sequence);
	}
	if (s->form == STEP_CHUNKS)
		add_partial(f, index);
}

static void add_merge(struct frames *f, int64_t index)
{
	const struct step *s = f->step;
	const struct view_place *p = s->form == STEP_CHUNKS ? &s->reduce : &s->attend;
	const struct step_chunk *k = &s->chunks[index];
	struct step_frame *frame;

	if (!k->merged || k->merge_point < 0 || s->tiled)
		return;
	frame = add(f, FRAME_MERGE, p->launch, s->head + s->heads * s->slot);
	frame->chunk = index;
	name_point(frame, 0, 0, k->merge_point);
}

static void add_end(struct frames *f)
{
	const struct step *s = f->step;
	int64_t launch = s->reduce.launch >= 0 ? s->reduce.launch : s->attend.launch;
	struct step_frame *frame = add(f, FRAME_OUTPUT, launch, -1);

	if (launch >= 0)
		frame->at.end = true;
	else
		frame->at.op = s->attend.op;
	if (s->attend.step < 0 || s->made < 0)
		return;
	frame = add(f, FRAME_MADE, -1, -1);
	frame->at.step = s->attend.step;
	frame->at.end = true;
}

enum status step_frames(const struct view_context *c, const struct step *s,
			struct step_frame **frames, int64_t *count)
{
	struct frames f = { .step = s, .run = c->at.run };
	enum status status = add_appends(c, &f);

	for (int64_t i = 0; i < s->live; i++)
		add_chunk(&f, i);
	for (int64_t i = 0; i < s->live; i++)
		add_merge(&f, i);
	add_end(&f);
	*frames = f.items;
	*count = f.count;
	return status;
}

int64_t step_frame_at(const struct step_frame *frames, int64_t count, const struct address *at)
{
	for (int64_t i = 0; i < count; i++)
		if (address_equal(&frames[i].at, at))
			return i;
	return -1;
}

struct step_progress step_frame_progress(const struct step *s, const struct step_frame *frame)
{
	struct step_progress p = { 0 };

	if (!frame)
		return (struct step_progress){ s->live, 0, s->live, true, true };
	switch (frame->kind) {
	case FRAME_APPEND:
		break;
	case FRAME_TILE:
		p.published = frame->chunk;
		p.tiles = frame->tile + 1;
		if (s->tiled)
			p = (struct step_progress){ .published = frame->chunk + 1,
						    .merged = frame->chunk + 1 };
		else if (s->form == STEP_ROWS && p.tiles == s->chunks[frame->chunk].tile_count)
			p = (struct step_progress){ .published = frame->chunk + 1 };
		break;
	case FRAME_PARTIAL:
		p.published = frame->chunk + 1;
		break;
	case FRAME_MERGE:
		p.published = s->live;
		p.merged = frame->chunk + 1;
		break;
	case FRAME_OUTPUT:
	case FRAME_MADE:
		p.published = p.merged = s->live;
		p.output = true;
		p.made = frame->kind == FRAME_MADE;
		break;
	}
	return p;
}

void step_frame_text(const struct step *s, const struct step_frame *frame, char text[64])
{
	const char *unit = step_unit(s);
	int64_t number = s->chunks[frame->chunk].number;

	switch (frame->kind) {
	case FRAME_APPEND:
		snprintf(text, 64, "%s appended", frame->tensor == 'k' ? "K is"
			 : frame->tensor == 'v' ? "V is" : "K and V are");
		break;
	case FRAME_TILE:
		if (s->form == STEP_TILES)
			snprintf(text, 64, "tile %" PRId64 " of query %" PRId64, number,
				 s->query.number);
		else if (s->tiled)
			snprintf(text, 64, "tile %" PRId64, number);
		else
			snprintf(text, 64, "tile %" PRId64 " of %s %" PRId64, frame->tile, unit,
				 number);
		break;
	case FRAME_PARTIAL:
		snprintf(text, 64, "partial of chunk %" PRId64, number);
		break;
	case FRAME_MERGE:
		snprintf(text, 64, "merge of %s %" PRId64, unit, number);
		break;
	case FRAME_OUTPUT:
		if (s->shape.merges)
			snprintf(text, 64, "merge in the %s, output", view_shape_merger(&s->shape));
		else
			snprintf(text, 64, s->form == STEP_HOST ? "softmax on the host, output"
				 : "output");
		break;
	case FRAME_MADE:
		snprintf(text, 64, "next byte");
		break;
	}
}
