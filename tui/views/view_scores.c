/* view_scores.c - reads scores, tiles and V rows of one block; see view_scores.h.
 *
 * Points give scores in each lane's order; their keys follow from how kernels split keys among
 * warps, which tui/views/view_shape.h knows. V rows come from the uploads that scatters read;
 * tui/views/view_cache.c finds them.
 */
#include "tui/views/view_scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cache.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_pages.h"
#include "tui/views/view_query.h"
#include "tui/views/view_visible.h"

#define MAX_KEYS ((int64_t)1 << 40)
#define MAX_THREADS 65536

void view_scores_place(struct view_scores *k, const struct view_shape *shape, int64_t slot,
		       int64_t head, int64_t chunk)
{
	*k = (struct view_scores){
		.shape = shape, .slot = slot, .head = head, .chunk = chunk, .d = shape->d,
		.kv_head = view_shape_kv_head(shape, head),
		.block = view_shape_block(shape, slot, head, chunk), .warps = shape->warps,
	};
}

bool view_scores_strided(const struct view_scores *k)
{
	return k->shape->scored > 0;
}

/* --- points --- */

struct point {
	int warp;
	int64_t lane;
	int64_t n;                      /* how many scores of the thread precede it */
	int64_t key;                    /* of strided tiles; else -1 */
	float score, term;
};

struct reading {
	struct view_scores *keys;
	struct point *points;
	int64_t count, capacity;
	int64_t tile_room;
	int64_t thread, n;              /* of the previous row */
	int64_t first_thread;           /* of the block */
	int64_t first_warp;             /* of those that have the keys */
	int64_t unit;                   /* of strided tiles; else -1 */
};

enum { THREAD, SEQUENCE, IS_TILE, V0, V1, V2 };

static void add_tile(struct reading *r, sqlite3_stmt *row, int64_t thread, int64_t key)
{
	struct view_scores *k = r->keys;

	if (k->tile_count == r->tile_room) {
		r->tile_room = r->tile_room ? 2 * r->tile_room : 16;
		k->tiles = xreallocarray(k->tiles, (size_t)r->tile_room, sizeof *k->tiles);
	}
	k->tiles[k->tile_count++] = (struct view_tile){
		.warp = thread / 32, .lane = thread % 32, .sequence = view_int(row, SEQUENCE),
		.key = key, .max = view_f32(row, V0), .rescale = view_f32(row, V1),
		.sum = view_f32(row, V2)
	};
	k->warp[thread / 32 - r->first_warp].count++;
}

static void add_point(struct reading *r, sqlite3_stmt *row, int64_t thread, int64_t key)
{
	if (thread != r->thread)
		r->n = 0;
	r->thread = thread;
	if (r->count == r->capacity) {
		r->capacity = r->capacity ? 2 * r->capacity : 64;
		r->points = xreallocarray(r->points, (size_t)r->capacity, sizeof *r->points);
	}
	r->points[r->count++] = (struct point){ (int)(thread / 32 - r->first_warp), thread % 32,
						r->n++, key, view_f32(row, V0), view_f32(row, V1) };
}

/* Of strided tiles, a thread has the points of several heads and chunks. */
static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct reading *r = state;
	struct view_scores *k = r->keys;
	int64_t thread = view_int(row, THREAD) - r->first_thread, warp = thread / 32, key = -1;

	(void)c;
	if (warp < r->first_warp || warp - r->first_warp >= k->warps)
		return STATUS_OK;
	if (r->unit >= 0) {
		struct view_shape_point p = view_shape_point(k->shape, k->block, warp, thread % 32,
							     view_int(row, SEQUENCE));

		if (p.unit != r->unit || p.head != k->head || p.softmax != view_int(row, IS_TILE))
			return STATUS_OK;
		key = p.key;
	}
	if (view_int(row, IS_TILE))
		add_tile(r, row, thread, key);
	else
		add_point(r, row, thread, key);
	return STATUS_OK;
}

/* Finds each warp's slice of the keys, as attend_slices() and the two-warp chunks split them, or
 * its first tile where warps take tiles in turn. */
static void split_keys(struct view_scores *k)
{
	int64_t keys = k->end - k->begin, tile_keys = k->shape->tile;
	int64_t slice = view_scores_strided(k) ? tile_keys : (keys + k->warps - 1) / k->warps;
	struct view_tile *tile = k->tiles;

	for (int w = 0; w < k->warps; w++) {
		struct view_warp *warp = &k->warp[w];

		warp->begin = k->begin + (w * slice < keys ? w * slice : keys);
		warp->end = warp->begin + slice < k->end ? warp->begin + slice : k->end;
		warp->tiles = tile;
		for (int64_t i = 0; i < warp->count; i++) {
			int64_t end = view_scores_strided(k) ? k->end : warp->end;

			if (tile[i].key < 0)
				tile[i].key = warp->begin + i * tile_keys;
			tile[i].end = tile[i].key + tile_keys < end ? tile[i].key + tile_keys : end;
		}
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
		int64_t key = p->key >= 0 ? p->key
			: k->warp[p->warp].begin + p->n * k->shape->tile + p->lane;

		key -= k->begin;
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

#define COLUMNS "thread, sequence, name = 'softmax', v0_bits, v1_bits, v2_bits"

static enum status read_points(const struct view_context *c, struct reading *r)
{
	int64_t first = r->first_thread + 32 * r->first_warp;

	return VIEW_ROWS(c, take_point, r, "SELECT " COLUMNS " FROM w_point WHERE run = ?1"
			 " AND launch = ?2 AND thread BETWEEN ?3 AND ?4"
			 " AND name IN ('score', 'softmax') ORDER BY thread, sequence", c->run,
			 r->keys->shape->place.launch, first, first + 32 * r->keys->warps - 1);
}

/* Some lanes have points of the head, after those of earlier chunks of the block. The first lane
 * has the most, those without a key the fewest. */
static enum status read_strided(const struct view_context *c, struct reading *r)
{
	const struct view_shape *s = r->keys->shape;
	struct view_lanes lanes = view_shape_lanes(s, r->keys->head);
	int64_t from = INT64_MAX, past = 0;

	for (int64_t warp = 0; warp < s->warps; warp++)
		for (int64_t i = 0; i < lanes.count; i++) {
			int64_t lane = lanes.first + i * lanes.step;
			int64_t before = view_shape_points_before(s, r->unit, warp, lane);
			int64_t end = before + view_shape_points_in(s, r->unit, warp, lane);

			from = before < from ? before : from;
			past = end > past ? end : past;
		}
	return VIEW_ROWS(c, take_point, r, "WITH RECURSIVE lanes(n) AS (SELECT 0 UNION ALL"
			 "  SELECT n + 1 FROM lanes WHERE n + 1 < ?4) SELECT " COLUMNS
			 " FROM lanes CROSS JOIN w_point WHERE run = ?1 AND launch = ?2"
			 " AND thread = ?3 + n % ?7 * ?8 + n / ?7 * 32"
			 " AND sequence BETWEEN ?5 AND ?6"
			 " AND name IN ('score', 'softmax') ORDER BY thread, sequence", c->run,
			 s->place.launch, r->first_thread + lanes.first, s->warps * lanes.count,
			 from, past - 1, lanes.count, lanes.step);
}

static enum status read_all(const struct view_context *c, struct reading *r)
{
	struct view_scores *k = r->keys;
	enum status status;

	if (!view_scores_strided(k))
		status = read_points(c, r);
	else
		status = r->unit >= 0 ? read_strided(c, r) : STATUS_OK;
	if (status != STATUS_OK)
		return status;
	if (k->end == 0)
		k->end = r->count;
	split_keys(k);
	place_scores(k, r);
	merge_warps(k);
	return STATUS_OK;
}

enum status view_scores_read(const struct view_context *c, struct view_scores *k)
{
	const struct view_place *place = &k->shape->place;
	int64_t threads = view_place_threads(place);
	struct reading r = { .keys = k, .thread = -1, .unit = -1 };
	enum status status;

	/* Possible only in a damaged trace. */
	if (k->begin < 0 || k->end < k->begin || k->end > MAX_KEYS || threads > MAX_THREADS
	    || __builtin_mul_overflow(k->block, threads, &r.first_thread))
		return fail(STATUS_DAMAGED, "L%" PRId64 ": block b%" PRId64 " of %" PRId64
			    " threads attends to keys %" PRId64 "..%" PRId64, place->launch,
			    k->block, threads, k->begin, k->end);
	if (k->shape->form == SHAPE_GROUP)
		r.first_warp = k->head % k->shape->group;
	if (view_scores_strided(k))
		r.unit = view_shape_unit(k->shape, k->slot, k->head, k->chunk);
	status = read_all(c, &r);
	free(r.points);
	return status;
}

/* --- values --- */

/* Of keys that need not follow each other in the sequence; *all is false if some are not known. */
static enum status read_values(const struct view_context *c, const struct view_scores *k,
			       struct view_cache *cache, const struct view_pages *pages,
			       bool *all)
{
	struct view_visible visible;
	int64_t split, count = 0, more = 0;

	TRY(view_visible_read(c, cache->op, k->slot, &visible));
	cache->slot = view_visible_sequence(&visible, k->slot);
	split = view_visible_split(&visible, k->begin, k->end);
	if (split > k->begin)
		TRY(view_pages_cache_read(c, pages, cache, 'v', k->begin, split, k->d, k->value,
					  &count));
	if (split < k->end)
		TRY(view_pages_cache_read(c, pages, cache, 'v', split + visible.gap,
					  k->end + visible.gap, k->d,
					  k->value + (split - k->begin) * k->d, &more));
	*all = count + more == k->end - k->begin;
	return STATUS_OK;
}

enum status view_scores_values(const struct view_context *c, struct view_scores *k,
			       int64_t max_keys)
{
	const struct view_place *place = &k->shape->place;
	struct view_cache cache = { .op = place->op, .layer = place->layer,
				    .kv_head = k->kv_head };
	struct view_pages pages;
	enum status status;
	bool all = false;

	if (k->d < 1 || k->d > VIEW_CACHE_ELEMENTS || k->end <= k->begin
	    || k->end - k->begin > max_keys)
		return STATUS_OK;
	k->value = xcalloc((size_t)((k->end - k->begin) * k->d), sizeof *k->value);
	status = view_pages_read(c, cache.op, k->slot, &pages);
	if (status == STATUS_OK)
		status = read_values(c, k, &cache, &pages, &all);
	view_pages_free(&pages);
	TRY(status);
	if (!all) {
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
	int64_t tile = view_tile_of(k->tiles, k->tile_count, key);

	return tile < 0 ? NULL : &k->tiles[tile];
}

int64_t view_tile_of(const struct view_tile *tiles, int64_t count, int64_t key)
{
	for (int64_t i = 0; i < count; i++)
		if (key >= tiles[i].key && key < tiles[i].end)
			return i;
	return -1;
}
