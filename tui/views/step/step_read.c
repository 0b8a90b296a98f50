/* step_read.c - reads the chunks, keys, merge and output of a step; see step.h. */
#include "tui/views/step/step.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "traces/store/store_index.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

#define MAX_KEYS ((int64_t)1 << 24)     /* more are not drawn */
#define MAX_CHUNKS 96                   /* whose keys' weights are read */

/* --- chunks --- */

enum { CHUNK, KEY_BEGIN, KEY_END, EMPTY, MAX, SUM, KV_HEAD };

static struct step_chunk *add_chunk(struct step *s)
{
	if ((s->count & (s->count - 1)) == 0)
		s->chunks = xreallocarray(s->chunks, (size_t)(s->count ? 2 * s->count : 1),
					  sizeof *s->chunks);
	s->chunks[s->count] = (struct step_chunk){ 0 };
	return &s->chunks[s->count++];
}

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step *s = state;
	struct step_chunk *k = add_chunk(s);

	*k = (struct step_chunk){
		.number = view_int(row, CHUNK), .begin = view_int(row, KEY_BEGIN),
		.end = view_int(row, KEY_END), .empty = view_int(row, EMPTY),
		.max = view_f32(row, MAX), .sum = view_f32(row, SUM),
	};
	k->block = view_shape_block(&s->shape, s->slot, s->head, k->number);
	s->kv_head = view_int(row, KV_HEAD);
	if (k->empty)
		return STATUS_OK;
	if (k->begin < s->keys || k->end <= k->begin || k->end > MAX_KEYS)
		return fail(STATUS_DAMAGED, "L%" PRId64 ": chunk %" PRId64 " has keys %" PRId64
			    "..%" PRId64, s->attend.launch, k->number, k->begin, k->end);
	s->keys = k->end;
	s->live = s->count;
	(void)c;
	return STATUS_OK;
}

static enum status read_partials(const struct view_context *c, struct step *s)
{
	return VIEW_ROWS(c, take_partial, s,
			 "SELECT chunk, key_begin, key_end, empty, max_bits, sum_bits, kv_head"
			 " FROM v_partial WHERE run = ?1 AND launch = ?2 AND slot = ?3"
			 " AND head = ?4 ORDER BY empty, chunk", c->run, s->attend.launch, s->slot,
			 s->head);
}

/* Moves the tiles of a block, whose warps' tiles follow each other. */
static void take_tiles(struct step_chunk *k, struct view_scores *scores)
{
	k->tiles = scores->tiles;
	k->tile_count = scores->tile_count;
	scores->tiles = NULL;
}

/* The scores of a block, and the weights of its keys; `share`: the block's part of the row. */
static void take_scores(struct step_chunk *chunk, const struct view_scores *k, double share)
{
	size_t keys = (size_t)(chunk->end - chunk->begin);

	if (!k->score)
		return;
	chunk->weight = xcalloc(keys, sizeof *chunk->weight);
	chunk->score = xcalloc(keys, sizeof *chunk->score);
	memcpy(chunk->score, k->score + chunk->begin - k->begin, keys * sizeof *chunk->score);
	for (int64_t key = chunk->begin; key < chunk->end; key++)
		chunk->weight[key - chunk->begin] = share * view_scores_share(k, key);
}

static void take_warp(struct step *s, const struct view_scores *k, int w)
{
	const struct view_warp *warp = &k->warp[w];
	const struct view_tile *last = view_scores_last(k, w);
	struct step_chunk *chunk = add_chunk(s);

	*chunk = (struct step_chunk){
		.number = w, .block = k->block, .begin = warp->begin, .end = warp->end,
		.empty = warp->begin >= warp->end, .max = last ? last->max : -INFINITY,
		.sum = last ? last->sum : 0.0f, .tile_count = warp->count,
	};
	if (warp->count > 0) {
		chunk->tiles = xcalloc((size_t)warp->count, sizeof *chunk->tiles);
		memcpy(chunk->tiles, warp->tiles, (size_t)warp->count * sizeof *chunk->tiles);
	}
	if (chunk->empty)
		return;
	take_scores(chunk, k, 1.0);
	s->live = s->count;
}

/* The tiles of the keys of a block with a single warp. */
static void take_row_tiles(struct step *s, const struct view_scores *k)
{
	for (int64_t i = 0; i < k->tile_count; i++) {
		const struct view_tile *tile = &k->tiles[i];
		struct step_chunk *chunk = add_chunk(s);

		*chunk = (struct step_chunk){
			.number = i, .block = k->block, .begin = tile->key,
			.end = tile->end, .max = tile->max,
			.sum = tile->sum, .factor = tile->rescale, .merged = true,
			.merge_point = tile->sequence, .merge_factor = tile->rescale,
			.merge_sum = tile->sum,
		};
		take_scores(chunk, k, 1.0);
	}
	s->tiled = true;
	s->live = s->count;
}

/* Of a damaged trace, the points may be those of other keys. */
static bool tiles_fit(const struct step *s, const struct view_scores *k)
{
	return k->tile_count == (s->keys + VIEW_TILE - 1) / VIEW_TILE;
}

/* The warps of the block of a kernel without chunks, from its points. */
static enum status read_warps(const struct view_context *c, struct step *s)
{
	struct view_scores k;
	enum status status;

	view_scores_place(&k, &s->shape, s->slot, s->head, 0);
	status = view_scores_read(c, &k);
	s->keys = k.end < MAX_KEYS ? k.end : 0;
	if (status == STATUS_OK && k.warps == 1 && s->keys > 0 && tiles_fit(s, &k))
		take_row_tiles(s, &k);
	for (int w = 0; status == STATUS_OK && s->keys > 0 && !s->tiled && w < k.warps; w++)
		take_warp(s, &k, w);
	view_scores_free(&k);
	return status;
}

/* --- shares and weights --- */

/* Factor exp(max - g) and share factor x sum / total of every chunk, as the online softmax merges
 * partials; g is the row's maximum, total the sum of factor x sum. */
static void compute_shares(struct step *s)
{
	s->max = -INFINITY;
	for (int64_t i = 0; i < s->live; i++)
		s->max = fmax(s->max, s->chunks[i].max);
	s->total = 0.0;
	for (int64_t i = 0; i < s->live; i++) {
		struct step_chunk *k = &s->chunks[i];

		k->factor = k->max == s->max ? 1.0 : exp((double)k->max - s->max);
		s->total += k->factor * k->sum;
	}
	for (int64_t i = 0; i < s->live; i++)
		s->chunks[i].share = s->chunks[i].factor * s->chunks[i].sum / s->total;
}

static enum status read_weights(const struct view_context *c, struct step *s,
				struct step_chunk *chunk)
{
	struct view_scores k;
	enum status status;

	view_scores_place(&k, &s->shape, s->slot, s->head, chunk->number);
	k.begin = chunk->begin;
	k.end = chunk->end;
	status = view_scores_read(c, &k);
	if (status == STATUS_OK) {
		take_tiles(chunk, &k);
		take_scores(chunk, &k, chunk->share);
	}
	view_scores_free(&k);
	return status;
}

static int by_share(const void *a, const void *b)
{
	const struct step_chunk *const *first = a, *const *second = b;

	return ((*first)->share < (*second)->share) - ((*first)->share > (*second)->share);
}

static enum status read_all_weights(const struct view_context *c, struct step *s)
{
	struct step_chunk **sorted = xcalloc((size_t)s->live, sizeof *sorted);
	enum status status = STATUS_OK;

	for (int64_t i = 0; i < s->live; i++)
		sorted[i] = &s->chunks[i];
	qsort(sorted, (size_t)s->live, sizeof *sorted, by_share);
	for (int64_t i = 0; i < s->live && i < MAX_CHUNKS && status == STATUS_OK; i++)
		status = read_weights(c, s, sorted[i]);
	for (int64_t i = MAX_CHUNKS; i < s->live && status == STATUS_OK; i++)
		if (sorted[i] == &s->chunks[s->live - 1] || sorted[i]->number == s->chosen)
			status = read_weights(c, s, sorted[i]);
	free(sorted);
	return status;
}

/* --- output --- */

enum { OUT_DATA, OUT_BYTES };

/* Element 0 of the row of out: [slots, heads, D], of prefill [heads, Nq, Dv]. */
static int64_t output_offset(const struct step *s, int64_t bytes)
{
	const struct step_query *q = &s->query;

	if (s->form == STEP_TILES)
		return (s->head * q->count + q->number) * q->value_dim * (int64_t)sizeof s->out0;
	return bytes / (s->heads * s->slots) * (s->head + s->heads * s->slot);
}

static enum status take_output(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step *s = state;
	int64_t at;
	void *bytes;
	size_t size;

	if (view_null(row, OUT_DATA) || s->heads * s->slots < 1)
		return STATUS_OK;
	TRY(store_data(c->store, view_int(row, OUT_DATA), &bytes, &size));
	at = output_offset(s, view_null(row, OUT_BYTES) ? (int64_t)size : view_int(row, OUT_BYTES));
	if (at >= 0 && size >= sizeof s->out0 && (size_t)at <= size - sizeof s->out0) {
		memcpy(&s->out0, (const char *)bytes + at, sizeof s->out0);
		s->has_out = true;
	}
	free(bytes);
	return STATUS_OK;
}

static enum status read_output(const struct view_context *c, struct step *s)
{
	const struct view_place *p = s->reduce.launch >= 0 ? &s->reduce : &s->attend;

	if (s->form == STEP_CHUNKS && s->reduce.launch < 0 && !s->shape.merges)
		return STATUS_OK;
	if (s->form == STEP_HOST)
		return VIEW_ROWS(c, take_output, s, "SELECT data, NULL FROM v_op WHERE run = ?1"
				 " AND op = ?2", c->run, p->op);
	if (s->shape.merges)
		return VIEW_ROWS(c, take_output, s, "SELECT d.data, d.bytes FROM v_arg a"
				 " JOIN v_digest d ON d.run = a.run AND d.op = a.op"
				 " AND d.buffer = a.buffer AND d.after_step = 0 WHERE a.run = ?1"
				 " AND a.op = ?2 AND a.name = 'out'", c->run, p->op);
	return VIEW_ROWS(c, take_output, s, "SELECT data, bytes FROM v_digest"
			 " WHERE run = ?1 AND op = ?2 AND after_step = 0 AND entry = 0",
			 c->run, p->op);
}

/* --- text and cache --- */

static enum status take_made(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step *s = state;

	(void)c;
	s->made_position = view_int(row, 0);
	s->made = (int)view_int(row, 1) & 255;
	return STATUS_OK;
}

static enum status take_written(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct step *s = state;

	(void)c;
	if (!view_null(row, 0)) {
		s->first_written = view_int(row, 0);
		s->last_written = view_int(row, 1);
	}
	return STATUS_OK;
}

/* Rows of K that this step wrote before it attended, or that its launches wrote where there are no
 * steps: by launches, or by the upload of the newest key. */
static enum status read_written(const struct view_context *c, struct step *s)
{
	int64_t first = s->attend.op, newest = step_position(s, s->keys - 1), load;

	/* Pools are loaded whole, and a slot of a cache is a page. */
	if (s->pages.rows > 0)
		return STATUS_OK;
	if (s->attend.step >= 0)
		TRY(VIEW_NUMBER(c, first, &first, "SELECT min(first_op) FROM v_step WHERE run = ?1"
				" AND step = ?2", c->run, s->attend.step));
	TRY(VIEW_ROWS(c, take_written, s, "SELECT min(position), max(position) FROM v_kv"
		      " WHERE run = ?1 AND op BETWEEN ?2 AND ?3 AND slot = ?4"
		      " AND coalesce(layer, -1) = ?5 AND tensor = 'k' AND launch IS NOT NULL",
		      c->run, first, s->attend.op, step_sequence(s), s->attend.layer));
	if (s->last_written >= 0)
		return STATUS_OK;
	TRY(store_index_kv(c->store));
	TRY(VIEW_NUMBER(c, -1, &load, "SELECT op FROM w_kv_load WHERE run = ?1 AND layer = ?2"
			" AND slot = ?3 AND tensor = 'k' AND position = ?4 AND kv_head = ?5"
			" AND op BETWEEN ?6 AND ?7 AND NOT EXISTS (SELECT 1 FROM w_kv_load x"
			"  WHERE x.run = ?1 AND x.layer = ?2 AND x.slot = ?3 AND x.tensor = 'k'"
			"  AND x.position = ?4 - 1 AND x.kv_head = ?5 AND x.op = w_kv_load.op)",
			c->run, s->attend.layer, step_sequence(s), newest, s->kv_head, first,
			s->attend.op));
	if (load >= 0)
		s->first_written = s->last_written = newest;
	return STATUS_OK;
}

static enum status read_text(const struct view_context *c, struct step *s)
{
	int64_t next = s->form == STEP_TILES ? s->query.number + s->query.offset + 1
		: step_position(s, s->keys - 1) + 1;

	s->text_keys = s->form == STEP_TILES ? s->query.keys : s->keys;
	s->text = xcalloc((size_t)s->text_keys, 1);
	TRY(view_visible_bytes(c, &s->visible, s->slot, s->attend.step, 0, s->text_keys, s->text));
	for (int64_t i = 0; i < s->text_keys; i++)
		s->has_text = s->has_text || s->text[i];
	return VIEW_ROWS(c, take_made, s, "SELECT position, byte FROM v_token WHERE run = ?1"
			 " AND step = ?2 AND slot = ?3 AND NOT prompt AND position = ?4", c->run,
			 s->attend.step, step_sequence(s), next);
}

static void take_shape(struct step *s)
{
	s->kv_heads = s->shape.kv_heads;
	s->d = s->shape.d;
	s->kv_head = view_shape_kv_head(&s->shape, s->head);
	s->published = true;
}

enum status step_max_len_read(const struct view_context *c, struct step *s)
{
	return VIEW_NUMBER(c, 0, &s->max_len, "SELECT coalesce((SELECT value FROM v_arg"
			   " WHERE run = ?1 AND op = ?2 AND name = 'max_len'),"
			   " (SELECT max_len FROM v_model WHERE run = ?1))", c->run,
			   s->attend.op);
}

/* A kernel with one warp merges nothing. */
static enum status recompute(const struct view_context *c, struct step *s)
{
	bool merges = s->form == STEP_ROWS && view_place_threads(&s->attend) > 32;

	TRY(view_recompute(c, s->attend.launch, merges ? "reduce" : "softmax", &s->recomputed));
	return view_recompute(c, s->reduce.launch, "reduce", &s->recomputed);
}

static enum status read_chunks(const struct view_context *c, struct step *s)
{
	if (s->form == STEP_TILES)
		return step_query_read(c, s);
	if (s->form == STEP_HOST)
		return step_host_read(c, s);
	take_shape(s);
	TRY(s->form == STEP_CHUNKS ? read_partials(c, s) : read_warps(c, s));
	if (s->live == 0)
		return STATUS_OK;
	if (s->tiled) {
		step_share_tiles(s);
		return STATUS_OK;
	}
	compute_shares(s);
	if (s->form == STEP_CHUNKS)
		TRY(read_all_weights(c, s));
	return step_merge_read(c, s);
}

enum status step_read(const struct view_context *c, struct step *s)
{
	TRY(recompute(c, s));
	TRY(step_max_len_read(c, s));
	TRY(read_chunks(c, s));
	if (s->live == 0)
		return STATUS_OK;
	TRY(step_options_read(c, s));
	TRY(read_output(c, s));
	TRY(read_written(c, s));
	return read_text(c, s);
}
