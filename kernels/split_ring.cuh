/* split_ring.cuh - the tiles of a warp in a ring of shared memory that bulk copies fill.
 *
 * Keys and values alternate: the keys of a tile and then its values. Each place of the ring has a
 * barrier that completes when its copy has landed; the barrier's parity changes each time the ring
 * goes round. Lane 0 issues the copies: the first ones before the queries are loaded, and one more
 * whenever the warp has read a tile. Few places do that: each has its copy of the code, and warps
 * wait for instructions that are not in the cache.
 */
#ifndef SPLIT_RING_CUH
#define SPLIT_RING_CUH

#include "kernels/split_walk.cuh"
#include "sim/cuda/async.h"

/* Tiles of types with fewer bytes than f32 have the same memory: more of them are in flight, but no
 * more than there is room for the barriers of (kernels/split_rule.h). */
#define RING_RATIO ((int)(sizeof(float) / sizeof(split_element)))
#define RING_PLACES_FOR(stages) \
	((stages) * RING_RATIO < SPLIT_MAX_PLACES ? (stages) * RING_RATIO : SPLIT_MAX_PLACES)
#define RING_PLACES RING_PLACES_FOR(SPLIT_MAX_STAGES)   /* most places of a warp */

/* The ring of a block: places of a warp, and floats of the block. */
#ifdef SPLIT_CLUSTERED
#define SOURCE_PLACES(heads, D) RING_PLACES_FOR(CLUSTER_STAGES(heads, D))
#define SOURCE_FLOATS(heads, D) CLUSTER_RING_FLOATS(heads, D)
#else
#define SOURCE_PLACES(heads, D) RING_PLACES_FOR(SPLIT_STAGES(heads, D))
#define SOURCE_FLOATS(heads, D) SPLIT_RING_FLOATS(heads, D)
#endif

struct split_source {
	split_vector *tiles;            /* [stages] of the warp */
	uint64_t *landed;               /* [stages] */
	int stages;
	int place;                      /* of the tile asked for last */
	bool parity;
	/* In lane 0: places that have a copy or a tile, and the place of the next copy, of the keys
	 * or of the values of the walk's tile. The others have no more copies. */
	int busy;
	int next;
	bool values;
	struct split_walk walk;
};

/* Issues the copies of `count` rows of a tile from a key on: with a window or pages, rows may be in
 * several places. */
INLINE_PIECE void source_copy(struct split_source *source, int place, int count, int D)
{
	const struct split_walk *walk = &source->walk;
	const split_element *all = source->values ? walk->in->v : walk->in->k;
	const split_element *rows = all + walk->cache;
	split_vector *tile = source->tiles + place * (SPLIT_TILE(D) * D / 4);
	int key = walk->key;

#ifdef SPLIT_OPTIONS
	while (count > 0) {
		int row = key < walk->sinks ? key : key + walk->gap;
		int some = key < walk->sinks ? min(count, walk->sinks - key) : count;

		if (walk->in->page_table)
			some = min(some, walk->in->page - row % walk->in->page);
		row = split_place_of_row(walk->in, walk->sequence, row);
		async_bulk_load_once(tile, rows + (long long)row * D,
				     (unsigned)(some * D) * sizeof(split_element),
				     &source->landed[place]);
		tile += some * (D / 4);
		key += some;
		count -= some;
	}
#else
	async_bulk_load_once(tile, rows + (long long)key * D,
			     (unsigned)(count * D) * sizeof(split_element),
			     &source->landed[place]);
#endif
}

/* Issues the next copy. */
INLINE_PIECE void source_issue(struct split_source *source, int D)
{
	struct split_walk *walk = &source->walk;
	int count = min(walk->end - walk->key, SPLIT_TILE(D)), place = source->next;

	mbarrier_expect(&source->landed[place],
			(unsigned)(count * D) * sizeof(split_element));
	source_copy(source, place, count, D);
	source->busy++;
	source->next = place + 1 == source->stages ? 0 : place + 1;
	if (source->values) {
		walk->key += SPLIT_STEP(D);
		walk_go_on(walk);
	}
	source->values = !source->values;
}

/* Issues copies until all places have one, none is left, or the next one has to wait. Does nothing
 * in lanes other than 0. */
INLINE_PIECE void source_fill(struct split_source *source, int D)
{
	const struct split_walk *walk = &source->walk;

	while (source->busy < source->stages && walk->key < walk->end && !walk_must_wait(walk, D))
		source_issue(source, D);
}

/* Prepares the ring, of `places` tiles for each warp, for the warp's tiles of `s` and then of
 * `run`, and issues the first copies; the rest is as for walk_begin(). */
INLINE_PIECE void source_begin(struct split_source *source, const struct split *s,
			       const struct split_launch *in, const struct plan_run *run,
			       int places, bool overlaps, bool last)
{
	__shared__ uint64_t landed[SPLIT_WARPS * RING_PLACES];

	walk_begin(&source->walk, s, in, run, overlaps, last);
	source->stages = places;
	source->tiles = (split_vector *)s->tiles
		+ (int)threadIdx.y * source->stages * (SPLIT_TILE(s->D) * s->D / 4);
	source->landed = landed + threadIdx.y * RING_PLACES;
	source->place = -1;
	source->parity = true;
	source->busy = 0;
	source->next = 0;
	source->values = false;
	if (threadIdx.x == 0) {
		for (int i = 0; i < source->stages; i++)
			mbarrier_init(&source->landed[i], 1);
		mbarrier_init_fence();
		walk_go_on(&source->walk);
	} else {
		source->walk.end = source->walk.key;
	}
	source_fill(source, in->D);
	__syncwarp();
}

typedef const split_vector *split_tile;

INLINE_PIECE split_tile source_wait(struct split_source *source, const split_element *rows,
				    int key, int D)
{
	(void)rows, (void)key;
	if (source->busy == 0 && source->walk.key < source->walk.end
	    && walk_must_wait(&source->walk, D))
		walk_wait(&source->walk);
	source_fill(source, D);
	source->place = source->place + 1 == source->stages ? 0 : source->place + 1;
	if (source->place == 0)
		source->parity = !source->parity;
	mbarrier_wait(&source->landed[source->place], source->parity);
	return source->tiles + source->place * (SPLIT_TILE(D) * D / 4);
}

#define split_row(tile, i, D) ((tile) + (i) * ((D) / 4))

/* The copy that takes the tile's place is issued with the next source_wait() or source_fill(). */
INLINE_PIECE void source_release(struct split_source *source)
{
	source->busy--;
}

#endif
