/* view_chunk.c - the online softmax of one chunk, from its named points.
 *
 * Draws strips of the keys' weights under their text, tiles in the order each warp processed them,
 * and the score of every key and its part of the chunk. The checks are in view_chunk_check.c. Used
 * by view_chunks.c.
 */
#include "tui/views/attend/view_chunk.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "tui/views/view_bytes.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_heat.h"
#include "tui/views/view_print.h"
#include "tui/views/view_visible.h"

#define KEYS_PER_LINE 3
#define SCORES 96                       /* listed for a chunk */
#define STRIP 64                        /* columns */
#define FEW_STRIPS 4                    /* lines of them that leave space for the tiles */
#define MAX_VALUES 512                  /* keys whose V rows are read; --all: MAX_VALUES_ALL */
#define MAX_VALUES_ALL 65536

static enum status read_keys(const struct view_context *c, const struct view_chunk *chunk,
			     struct view_scores *keys)
{
	view_scores_place(keys, chunk->shape, chunk->slot, chunk->head, chunk->chunk);
	keys->begin = chunk->key_begin;
	keys->end = chunk->key_end;
	return view_scores_read(c, keys);
}

/* --- strips --- */

/* The bytes of a chunk in a line of their own, where marks cannot be on the text itself. */
static void print_text(const struct view_context *c, const struct view_chunk *k,
		       const unsigned char *bytes)
{
	bool some = false;

	for (int64_t i = 0; i < k->key_end - k->key_begin; i++)
		some |= bytes[i] != 0;
	if (!some || c->heat)
		return;
	view_print(c, "               ");
	for (int64_t i = 0; i < k->key_end - k->key_begin; i++)
		view_print(c, "%c", view_byte_mark(bytes[i]));
	view_print(c, "\n");
}

/* The max weight of the keys that share a column, and its byte if each key has its own. */
static void print_strip(const struct view_context *c, const struct view_chunk *k,
			const struct view_scores *keys, int64_t keys_per_column,
			const unsigned char *text)
{
	view_print(c, " %5" PRId64 " %7" PRId64 " ", k->chunk, k->key_begin);
	for (int64_t key = k->key_begin; key < k->key_end; key += keys_per_column) {
		double weight = 0.0;

		for (int64_t i = key; i < key + keys_per_column && i < k->key_end; i++) {
			double one = k->share * exp(keys->score[i - k->key_begin] - k->lse);

			weight = one <= weight ? weight : one;  /* keeps a NaN */
		}
		view_heat_key(c, text ? view_byte_mark(text[key - k->key_begin]) : ' ', weight);
	}
	view_print(c, "\n");
}

static enum status read_text(const struct view_context *c, const struct view_chunk *k,
			     int64_t begin, int64_t end, unsigned char *out)
{
	struct view_visible visible;

	TRY(view_visible_read(c, k->shape->place.op, k->slot, &visible));
	return view_visible_bytes(c, &visible, k->slot, k->shape->place.step, begin, end, out);
}

static enum status draw_strip(const struct view_context *c, const struct view_chunk *k,
			      const struct view_scores *keys, bool *begun)
{
	int64_t strip = view_narrow(c) ? STRIP / 2 : STRIP;
	int64_t keys_per_column = (k->key_end - k->key_begin + strip - 1) / strip;
	bool own = keys_per_column == 1;
	unsigned char text[STRIP];

	if (!keys->score)
		return STATUS_OK;
	if (!*begun)
		view_styled(c, STYLE_HEADING, "\n chunk    from weight of each key\n");
	*begun = true;
	if (own) {
		TRY(read_text(c, k, k->key_begin, k->key_end, text));
		print_text(c, k, text);
	}
	print_strip(c, k, keys, keys_per_column, own ? text : NULL);
	return STATUS_OK;
}

static enum status draw_strips(const struct view_context *c, const struct view_chunk *chunks,
			       int count)
{
	enum status status = STATUS_OK;
	bool begun = false;

	for (int i = 0; i < count && status == STATUS_OK; i++) {
		struct view_scores keys;

		if (chunks[i].empty)
			continue;
		if (begun && i > 0 && chunks[i].chunk != chunks[i - 1].chunk + 1)
			view_print(c, "   ...\n");
		status = read_keys(c, &chunks[i], &keys);
		if (status == STATUS_OK)
			status = draw_strip(c, &chunks[i], &keys, &begun);
		view_scores_free(&keys);
	}
	if (begun)
		view_heat_legend(c, "of all keys; " VIEW_BYTES_LEGEND);
	return status;
}

/* --- tiles --- */

static void anchor_tile(const struct view_context *c, const struct view_scores *k,
			const struct view_tile *tile)
{
	struct address at = address_none;

	at.run = c->run > 1 ? c->run : -1;
	at.launch = k->shape->place.launch;
	at.block = k->block;
	at.warp = tile->warp;
	at.lane = tile->lane;
	at.point = tile->sequence;
	display_anchor(c->out, &at);
}

/* acc[0] after the tile, from the terms and factors that were published. */
static double step_acc(const struct view_scores *k, const struct view_tile *tile, double acc)
{
	acc *= tile->rescale;
	for (int64_t key = tile->key; key < tile->end; key++)
		acc += (double)k->term[key - k->begin] * k->value[(key - k->begin) * k->d];
	return acc;
}

/* The width of a tile's numbers. */
static int tile_width(const struct view_context *c)
{
	return view_narrow(c) ? 9 : 11;
}

static const char *tile_cell(const struct view_context *c, float value, view_cell cell)
{
	return view_narrow(c) ? view_number_cell(c, value, 4, cell)
		: view_float_cell(c, value, cell);
}

/* " warp 1, keys 16..31 of every 128" where warps take tiles in turn. */
static void draw_warp_heading(const struct view_context *c, const struct view_scores *k, int number)
{
	const struct view_warp *warp = &k->warp[number];

	view_styled(c, STYLE_HEADING, " warp %d, keys %" PRId64 "..%" PRId64, number, warp->begin,
		    warp->end - 1);
	if (view_scores_strided(k))
		view_styled(c, STYLE_HEADING, " of every %d", k->shape->tile * k->warps);
	view_print(c, "\n");
}

static void draw_warp(const struct view_context *c, const struct view_scores *k, int number)
{
	int width = tile_width(c);
	const struct view_warp *warp = &k->warp[number];
	float old = -INFINITY;
	double acc = 0.0;

	if (k->warps > 1 && warp->begin < warp->end)
		draw_warp_heading(c, k, number);
	for (int64_t t = 0; t < warp->count; t++) {
		const struct view_tile *tile = &warp->tiles[t];
		view_cell from, max, rescale, sum, acc_text = "-";

		if (k->term && k->value) {
			acc = step_acc(k, tile, acc);
			snprintf(acc_text, sizeof acc_text, "%.7g", acc);
		}
		anchor_tile(c, k, tile);
		view_print(c, " %4" PRId64 " %6" PRId64 " %*s -> %*s %*s %*s", t, tile->key,
			   width, tile_cell(c, old, from), width, tile_cell(c, tile->max, max),
			   width, tile_cell(c, tile->rescale, rescale), width,
			   tile_cell(c, tile->sum, sum));
		if (!view_narrow(c))
			view_print(c, " %12s", acc_text);
		view_print(c, "\n");
		old = tile->max;
	}
}

/* The factor of each warp in the merged sum, in float64, computed as merge_warps.cuh does. */
static void draw_merge(const struct view_context *c, const struct view_scores *k)
{
	int used = k->warps;

	while (used > 1 && !view_scores_last(k, used - 1))
		used--;
	view_styled(c, STYLE_HEADING, " the warps merged%s (float64)\n",
		    " in shared memory, in their order");
	for (int w = 0; w < used; w++) {
		const struct view_tile *last = view_scores_last(k, w);
		double factor = 0.0;

		if (last)
			factor = last->max == k->max ? 1.0 : exp((double)last->max - k->max);
		view_print(c, "  warp %d  factor %.7g%s\n", w, factor,
			   last ? "" : ": it has no keys");
	}
	if (used == k->warps - 1)
		view_print(c, "  warp %d  factor 0: it has no keys\n", used);
	else if (used < k->warps)
		view_print(c, "  warps %d to %d  factor 0: they have no keys\n", used,
			   k->warps - 1);
	view_print(c, "  all     max %.9g  sum %.9g\n", k->max, k->sum);
}

static void draw_tiles(const struct view_context *c, const struct view_scores *k)
{
	int width = tile_width(c);

	if (k->tile_count == 0)
		return;
	view_styled(c, STYLE_HEADING, "\n online softmax, %d keys at a time\n tile   from %*s ->"
		    " %*s %*s %*s%s\n", k->shape->tile, width, "old max", width, "new max", width,
		    "rescale", width, "sum", view_narrow(c) ? "" : "  acc[0] (f64)");
	for (int w = 0; w < k->warps; w++)
		draw_warp(c, k, w);
	if (k->warps > 1)
		draw_merge(c, k);
}

/* --- scores --- */

static void print_scores(const struct view_context *c, const struct view_scores *k,
			 const unsigned char *bytes)
{
	int64_t count = k->end - k->begin, per_line = KEYS_PER_LINE;
	int width = view_number_width(c, view_narrow(c) ? 7 : 10), decimals;
	double largest = 0.0;
	view_cell byte, text;

	for (int64_t i = 0; i < count; i++)
		if (isfinite(k->score[i]))
			largest = fmax(largest, fabs((double)k->score[i]));
	decimals = view_decimals(largest, view_narrow(c) ? 4 : 6);

	view_styled(c, STYLE_HEADING, "\n score of every key of chunk %" PRId64
		    ", and its part of the chunk%s\n", k->chunk,
		    view_narrow(c) ? "" : ", exp(score - max) / sum");
	if (view_narrow(c))
		per_line--;
	for (int64_t i = 0; i < count && view_fits(c, i, SCORES); i++)
		view_print(c, "  %5" PRId64 " %-5s %*s %5.1f%%%s", k->begin + i,
			   bytes[i] ? view_byte_cell(bytes[i], byte) : "", width,
			   view_number_cell(c, k->score[i], decimals, text),
			   100.0 * view_scores_share(k, k->begin + i),
			   (i + 1) % per_line == 0 || i + 1 == count ? "\n" : " |");
	view_more(c, count, SCORES);
}

static enum status draw_scores(const struct view_context *c, const struct view_chunk *chunk,
			       const struct view_scores *k)
{
	unsigned char *bytes;
	enum status status;

	if (!k->score)
		return STATUS_OK;
	bytes = xcalloc((size_t)(k->end - k->begin), 1);
	status = read_text(c, chunk, k->begin, k->end, bytes);
	if (status == STATUS_OK)
		print_scores(c, k, bytes);
	free(bytes);
	return status;
}

/* --- */

static enum status draw_keys(const struct view_context *c, const struct view_chunk *chunks,
			     int count, const struct view_chunk *chosen, struct view_scores *keys)
{
	bool few = c->heat && count > 1 && count <= FEW_STRIPS;
	struct view_visible visible;

	TRY(view_visible_read(c, chosen->shape->place.op, chosen->slot, &visible));
	view_visible_note(c, &visible);
	TRY(read_keys(c, chosen, keys));
	TRY(view_scores_values(c, keys, c->all ? MAX_VALUES_ALL : MAX_VALUES));
	/* A few strips of heat come first; more would push the tiles off a small screen. */
	if (few)
		TRY(draw_strips(c, chunks, count));
	TRY(view_chunk_check(c, chosen, keys));
	draw_tiles(c, keys);
	if (!few)
		TRY(draw_strips(c, chunks, count));
	return draw_scores(c, chosen, keys);
}

enum status view_chunk_draw(const struct view_context *c, const struct view_chunk *chunks,
			    int count, int chosen)
{
	const struct view_chunk *k = &chunks[chosen];
	bool right = isinf(k->max) && k->max < 0.0f && k->sum == 0.0f;
	struct view_scores keys = { 0 };
	enum status status;

	if (k->empty) {
		view_styled(c, right ? STYLE_PLAIN : STYLE_WRONG, "\n chunk %" PRId64
			    " holds no keys: %s\n", k->chunk,
			    right ? "max -inf and sum 0 as it must be"
				  : "WRONG, it must publish max -inf and sum 0");
		return draw_strips(c, chunks, count);
	}
	status = draw_keys(c, chunks, count, k, &keys);
	view_scores_free(&keys);
	return status;
}
