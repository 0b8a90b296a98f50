/* view_scores.c - reads scores, tiles and V rows of one block; see view_scores.h.
 *
 * Points give scores in each lane's order; their keys follow from how kernels split keys among
 * warps. V rows come from the uploads that scatters read; tui/views/view_cache.c finds them.
 */
#include "tui/views/view_scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cache.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_query.h"

#define MAX_KEYS ((int64_t)1 << 40)
#define MAX_THREADS 65536

int64_t view_scores_block(const struct view_place *p, int64_t slot, int64_t head, int64_t chunk)
{
	int64_t block;

	if (head < 0 || head >= p->grid[0] || slot < 0 || slot >= p->grid[1]
	    || __builtin_mul_overflow(p->grid[1], chunk, &block)
	    || __builtin_add_overflow(block, slot, &block)
	    || __builtin_mul_overflow(block, p->grid[0], &block)
	    || __builtin_add_overflow(block, head, &block))
		return -1;
	return block >= 0 && block < view_place_blocks(p) ? block : -1;
}

void view_scores_place(struct view_scores *k, const struct view_place *place, int64_t block)
{
	int64_t heads = place->grid[0] > 0 ? place->grid[0] : 1;
	int64_t slots = place->grid[1] > 0 ? place->grid[1] : 1;

	*k = (struct view_scores){ .place = place, .block = block, .head = block % heads,
				 .slot = block / heads % slots, .chunk = block / heads / slots };
}

/* --- points --- */

struct point {
	int warp, lane;
	int64_t n;                      /* how many scores of the thread precede it */
	float score, term;
};

struct reading {
	struct view_scores *keys;
	struct point *points;
	int64_t count, capacity;
	int64_t tile_room;
	int64_t thread, n;              /* of the previous row */
	int64_t first_thread;
};

enum { THREAD, SEQUENCE, IS_TILE, V0, V1, V2 };

static void add_tile(struct reading *r, sqlite3_stmt *row, int warp)
{
	struct view_scores *k = r->keys;

	if (k->tile_count == r->tile_room) {
		r->tile_room = r->tile_room ? 2 * r->tile_room : 16;
		k->tiles = xreallocarray(k->tiles, (size_t)r->tile_room, sizeof *k->tiles);
	}
	k->tiles[k->tile_count++] = (struct view_tile){
		.sequence = view_int(row, SEQUENCE), .max = view_f32(row, V0),
		.rescale = view_f32(row, V1), .sum = view_f32(row, V2)
	};
	k->warp[warp].count++;
}

static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reading *r = state;
	int64_t thread = view_int(row, THREAD) - r->first_thread;
	int warp = (int)(thread / 32);

	(void)c;
	if (warp < 0 || warp >= r->keys->warps)
		return STATUS_OK;
	if (view_int(row, IS_TILE)) {
		add_tile(r, row, warp);
		return STATUS_OK;
	}
	if (thread != r->thread)
		r->n = 0;
	r->thread = thread;
	if (r->count == r->capacity) {
		r->capacity = r->capacity ? 2 * r->capacity : 64;
		r->points = xreallocarray(r->points, (size_t)r->capacity, sizeof *r->points);
	}
	r->points[r->count++] = (struct point){ warp, (int)(thread % 32), r->n++,
						view_f32(row, V0), view_f32(row, V1) };
	return STATUS_OK;
}

/* Finds each warp's slice of the keys, as attend_slices() and the two-warp chunks split them. */
static void split_keys(struct view_scores *k)
{
	int64_t keys = k->end - k->begin, slice = (keys + k->warps - 1) / k->warps;
	struct view_tile *tile = k->tiles;

	for (int w = 0; w < k->warps; w++) {
		struct view_warp *warp = &k->warp[w];

		warp->begin = k->begin + (w * slice < keys ? w * slice : keys);
		warp->end = warp->begin + slice < k->end ? warp->begin + slice : k->end;
		warp->tiles = tile;
		for (int64_t i = 0; i < warp->count; i++)
			warp->tiles[i].key = warp->begin + i * VIEW_TILE;
		tile += warp->count;
	}
}

static void place_scores(struct view_scores *k, const struct reading *r)
{
	int64_t keys = k->end - k->begin;

	if (r->count != keys || keys == 0)
		return;
	k->score = xcalloc((size_t)keys, sizeof *k->score);
	k->term = xcalloc((size_t)keys, sizeof *k->term);
	for (int64_t i = 0; i < r->count; i++) {
		const struct point *p = &r->points[i];
		int64_t key = k->warp[p->warp].begin + p->n * VIEW_TILE + p->lane - k->begin;

		if (key >= 0 && key < keys) {
			k->score[key] = p->score;
			k->term[key] = p->term;
		}
	}
}

const struct view_tile *view_scores_last(const struct view_scores *k, int warp)
{
	int64_t count = k->warp[warp].count;

	return count ? &k->warp[warp].tiles[count - 1] : NULL;
}

/* The softmax of all warps, merged in float64. */
static void merge_warps(struct view_scores *k)
{
	k->max = -INFINITY;
	for (int w = 0; w < k->warps; w++)
		if (view_scores_last(k, w))
			k->max = fmax(k->max, view_scores_last(k, w)->max);
	for (int w = 0; w < k->warps; w++) {
		const struct view_tile *last = view_scores_last(k, w);

		if (last)
			k->sum += last->max == k->max ? last->sum
				: exp((double)last->max - k->max) * last->sum;
	}
	k->lse = k->max + log(k->sum);
}

enum status view_scores_read(const struct view_context *c, struct view_scores *k)
{
	int64_t threads = view_place_threads(k->place);
	struct reading r = { .keys = k, .thread = -1 };
	enum status status;

	k->warps = (int)(threads / 32 < VIEW_WARPS ? threads / 32 : VIEW_WARPS);
	k->warps = k->warps > 0 ? k->warps : 1;
	/* Possible only in a damaged trace. */
	if (k->begin < 0 || k->end < k->begin || k->end > MAX_KEYS || threads > MAX_THREADS
	    || __builtin_mul_overflow(k->block, threads, &r.first_thread))
		return fail(STATUS_DAMAGED, "L%" PRId64 ": block b%" PRId64 " of %" PRId64
			    " threads attends to keys %" PRId64 "..%" PRId64, k->place->launch,
			    k->block, threads, k->begin, k->end);
	status = VIEW_ROWS(c, take_point, &r,
			   "SELECT thread, sequence, name = 'softmax', v0_bits, v1_bits, v2_bits"
			   " FROM w_point WHERE run = ?1 AND launch = ?2"
			   " AND thread BETWEEN ?3 AND ?4 AND name IN ('score', 'softmax')"
			   " ORDER BY thread, sequence", c->run, k->place->launch,
			   r.first_thread, r.first_thread + threads - 1);
	if (status == STATUS_OK) {
		if (k->end == 0)
			k->end = r.count;
		split_keys(k);
		place_scores(k, &r);
		merge_warps(k);
	}
	free(r.points);
	return status;
}

/* --- values --- */

enum status view_scores_values(const struct view_context *c, struct view_scores *k,
			       int64_t max_keys)
{
	struct view_cache cache = { .op = k->place->op, .layer = k->place->layer,
				    .slot = k->slot };
	int64_t heads = k->place->grid[0] > 0 ? k->place->grid[0] : 1, kv_heads;
	int64_t count;

	TRY(VIEW_NUMBER(c, 0, &k->d, "SELECT value FROM v_arg WHERE run = ?1 AND op = ?2"
			" AND name = 'D'", c->run, k->place->op));
	TRY(VIEW_NUMBER(c, heads, &kv_heads, "SELECT value FROM v_arg WHERE run = ?1"
			" AND op = ?2 AND name = 'Hkv'", c->run, k->place->op));
	k->kv_head = k->head * kv_heads / heads;
	cache.kv_head = k->kv_head;
	if (k->d < 1 || k->d > VIEW_CACHE_ELEMENTS || k->end <= k->begin
	    || k->end - k->begin > max_keys)
		return STATUS_OK;
	k->value = xcalloc((size_t)((k->end - k->begin) * k->d), sizeof *k->value);
	TRY(view_cache_read(c, &cache, 'v', k->begin, k->end, k->d, k->value, &count));
	if (count < k->end - k->begin) {
		free(k->value);
		k->value = NULL;
	}
	return STATUS_OK;
}

void view_scores_free(struct view_scores *k)
{
	free(k->tiles);
	free(k->score);
	free(k->term);
	free(k->value);
	k->tiles = NULL;
	k->score = k->term = k->value = NULL;
}

/* --- lookup --- */

double view_scores_share(const struct view_scores *k, int64_t key)
{
	float score = k->score[key - k->begin];

	return score == k->max ? 1.0 / k->sum : exp((double)score - k->max) / k->sum;
}

const struct view_tile *view_scores_tile(const struct view_scores *k, int64_t key)
{
	for (int w = 0; w < k->warps; w++) {
		const struct view_warp *warp = &k->warp[w];

		if (key >= warp->begin && key < warp->end
		    && (key - warp->begin) / VIEW_TILE < warp->count)
			return &warp->tiles[(key - warp->begin) / VIEW_TILE];
	}
	return NULL;
}
