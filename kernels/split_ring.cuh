/* split_ring.cuh - the tiles of a warp in a ring of shared memory that bulk copies fill.
 *
 * A warp attends to its tiles of one split or of a run of splits, without a break between them:
 * keys and values alternate, the keys of a tile and then its values. Each place of the ring has a
 * barrier that completes when its copy has landed; the barrier's parity changes each time the ring
 * goes round. Lane 0 issues the copies: the first ones before the queries are loaded, and one more
 * whenever the warp has read a tile.
 */
#ifndef SPLIT_RING_CUH
#define SPLIT_RING_CUH

#include "kernels/split.cuh"
#include "kernels/split_plan.cuh"
#include "sim/cuda/async.h"

/* Tiles of types with fewer bytes than f32 have the same memory: more of them are in flight, but no
 * more than there is room for the barriers of (kernels/split_rule.h). */
#define RING_RATIO ((int)(sizeof(float) / sizeof(split_element)))
#define RING_PLACES_FOR(stages) \
	((stages) * RING_RATIO < SPLIT_MAX_PLACES ? (stages) * RING_RATIO : SPLIT_MAX_PLACES)
#define RING_PLACES RING_PLACES_FOR(SPLIT_MAX_STAGES)   /* most places of a warp */

struct split_source {
	split_vector *tiles;            /* [stages] of the warp */
	uint64_t *landed;               /* [stages] */
	int stages;
	int place;                      /* of the tile asked for last */
	bool parity;
	/* The copy to be issued next, in lane 0. */
	const split_element *k, *v;
	int key, end;                   /* end of its split; no more copies: key >= end */
	bool values;
#ifdef SPLIT_OPTIONS
	int sinks, gap;                 /* of the sequence */
#endif
	const struct split_launch *in;
	struct plan_run run;            /* the splits after that one */
};

/* Goes on with the next split in which the warp has keys. */
INLINE_PIECE void source_next(struct split_source *source)
{
	const struct split_launch *in = source->in;

	while (source->key >= source->end && source->run.count > 0) {
		struct plan_unit unit = plan_next(&source->run);
		long long cache = split_cache(in, unit.row / in->Hkv, unit.row % in->Hkv);

		source->k = in->k + cache;
		source->v = in->v + cache;
		source->key = unit.begin + (int)threadIdx.y * SPLIT_TILE(in->D);
		source->end = unit.end;
	}
}

/* Issues the copies of `count` rows of a tile from a key on: with a window, rows may be in two
 * places. */
INLINE_PIECE void source_copy(struct split_source *source, int place, int count, int D)
{
	const split_element *rows = source->values ? source->v : source->k;
	split_vector *tile = source->tiles + place * (SPLIT_TILE(D) * D / 4);
	int key = source->key;

#ifdef SPLIT_OPTIONS
	if (key < source->sinks) {
		int first = min(count, source->sinks - key);

		async_bulk_load_once(tile, rows + (long long)key * D,
				     (unsigned)(first * D) * sizeof(split_element),
				     &source->landed[place]);
		tile += first * (D / 4);
		key += first;
		count -= first;
	}
	if (count == 0)
		return;
	key += source->gap;
#endif
	async_bulk_load_once(tile, rows + (long long)key * D,
			     (unsigned)(count * D) * sizeof(split_element),
			     &source->landed[place]);
}

/* Issues the next copy. */
INLINE_PIECE void source_issue(struct split_source *source, int place, int D)
{
	int count = min(source->end - source->key, SPLIT_TILE(D));

	mbarrier_expect(&source->landed[place],
			(unsigned)(count * D) * sizeof(split_element));
	source_copy(source, place, count, D);
	if (source->values) {
		source->key += SPLIT_STEP(D);
		source_next(source);
	}
	source->values = !source->values;
}

/* Prepares the ring, with memory for `stages` tiles of f32, for the warp's tiles of `s`, which may
 * be none, and then of `run` unless it is NULL. `landed` are SPLIT_WARPS * RING_PLACES barriers of
 * the block. */
INLINE_PIECE void source_begin(struct split_source *source, const struct split *s,
			       const struct split_launch *in, const struct plan_run *run,
			       int stages, uint64_t *landed)
{
	source->stages = RING_PLACES_FOR(stages);
	source->tiles = (split_vector *)s->tiles
		+ (int)threadIdx.y * source->stages * (SPLIT_TILE(s->D) * s->D / 4);
	source->landed = landed + threadIdx.y * RING_PLACES;
	source->place = -1;
	source->parity = true;
	source->k = s->k;
	source->v = s->v;
	source->key = s->begin + (int)threadIdx.y * SPLIT_TILE(s->D);
	source->end = s->end;
	source->values = false;
#ifdef SPLIT_OPTIONS
	source->sinks = s->sinks;
	source->gap = s->gap;
#endif
	source->in = in;
	source->run.count = 0;
	if (run)
		source->run = *run;
	if (threadIdx.x == 0) {
		for (int i = 0; i < source->stages; i++)
			mbarrier_init(&source->landed[i], 1);
		mbarrier_init_fence();
		source_next(source);
	}
}

/* Issues copies for places [first, stages), and returns how many places have one. With `all` false,
 * up to the first tile that ends its split: a launch that overlaps the one before it leaves out the
 * keys that that one may be writing, which are the last ones of a sequence. */
INLINE_PIECE int source_fill(struct split_source *source, int first, bool all, int D)
{
	if (threadIdx.x == 0)
		while (first < source->stages && source->key < source->end
		       && (all || source->key + SPLIT_TILE(D) < source->end))
			source_issue(source, first++, D);
	return first;
}

typedef const split_vector *split_tile;

INLINE_PIECE split_tile source_wait(struct split_source *source, const split_element *rows,
				    int key, int D)
{
	(void)rows, (void)key;
	source->place = source->place + 1 == source->stages ? 0 : source->place + 1;
	if (source->place == 0)
		source->parity = !source->parity;
	mbarrier_wait(&source->landed[source->place], source->parity);
	return source->tiles + source->place * (SPLIT_TILE(D) * D / 4);
}

#define split_row(tile, i, D) ((tile) + (i) * ((D) / 4))

INLINE_PIECE void source_release(struct split_source *source, int D)
{
	if (threadIdx.x == 0 && source->key < source->end)
		source_issue(source, source->place, D);
}

#endif
