/* split_ring.cuh - the tiles of a warp in a ring of shared memory that bulk copies fill.
 *
 * A warp attends to its tiles of one split or of a run of splits, without a break between them:
 * keys and values alternate, the keys of a tile and then its values. Each place of the ring has a
 * barrier that completes when its copy has landed; the barrier's parity changes each time the ring
 * goes round. Lane 0 issues the copies: the first ones before the queries are loaded, and one more
 * whenever the warp has read a tile. Few places do that: each has its copy of the code, and warps
 * wait for instructions that are not in the cache.
 *
 * A launch that overlaps the one before it (sim/cuda/programmatic.h) leaves out the last tile of a
 * sequence, which that one may be writing, until the warp has attended to all before it: lane 0
 * waits then. With several queries of a sequence these are the tiles with as many of its last keys.
 * Before a kernel writes anything, all of its threads wait.
 */
#ifndef SPLIT_RING_CUH
#define SPLIT_RING_CUH

#include "kernels/split.cuh"
#include "kernels/split_plan.cuh"
#include "sim/cuda/async.h"
#include "sim/cuda/programmatic.h"
#ifdef SPLIT_PAIR
#include "kernels/tensor_element.cuh"
#endif

/* Tiles of types with fewer bytes than f32 have the same memory: more of them are in flight, but no
 * more than there is room for the barriers of (kernels/split_rule.h). */
#define RING_RATIO ((int)(sizeof(float) / sizeof(split_element)))
#define RING_PLACES_FOR(stages) \
	((stages) * RING_RATIO < SPLIT_MAX_PLACES ? (stages) * RING_RATIO : SPLIT_MAX_PLACES)
#define RING_PLACES RING_PLACES_FOR(SPLIT_MAX_STAGES)   /* most places of a warp */

/* The ring of a block with a run of splits: places of a warp, and floats of the block. It has a
 * multiprocessor for itself, or with SPLIT_PAIR shares it with another. */
#ifdef SPLIT_PAIR
#define RUN_PLACES(heads, D) PAIR_PLACES(heads, D, sizeof(split_element))
#define RUN_FLOATS(heads, D) PAIR_RING_FLOATS(heads, D, sizeof(split_element))
#define PAIR_SLICES (PAIR_MAX_D / 32)   /* of a row of queries: see split_tensor.cuh */
#else
#define RUN_PLACES(heads, D) RING_PLACES_FOR(SPLIT_STAGES(heads, D))
#define RUN_FLOATS(heads, D) SPLIT_RING_FLOATS(heads, D)
#endif

struct split_source {
	split_vector *tiles;            /* [stages] of the warp */
	uint64_t *landed;               /* [stages] */
	int stages;
	int place;                      /* of the tile asked for last */
	bool parity;
	/* In lane 0: places that have a copy or a tile, and the copy to be issued next. The others
	 * have no more copies. */
	int busy;
	int next;                       /* its place */
	const split_element *k, *v;
	int key, end;                   /* end of its split; no more copies: key >= end */
	bool values;
	bool waited;                    /* for the launch before, if this one may overlap it */
#ifdef SPLIT_OPTIONS
	int sequence, sinks, gap;
	int appended;                   /* keys from here on may have been appended just before */
#else
	bool last;                      /* its split is the last one of its sequence */
#endif
	const struct split_launch *in;
	struct plan_run run;            /* the splits after that one */
#ifdef SPLIT_PAIR
	tensor_four query[PAIR_SLICES][2];      /* the lane's queries of the split before */
#endif
};

/* Sets where the keys of a unit's split are, and which of them have to wait. */
INLINE_PIECE void source_locate(struct split_source *source, const struct plan_unit *unit)
{
#ifdef SPLIT_OPTIONS
	const struct split_launch *in = source->in;
	int slot = unit->row / in->Hkv;

	source->sequence = slot / in->queries;
	source->gap = SPLIT_GAP(in->seq_lens[slot], in->window, in->sinks);
	source->sinks = source->gap > 0 ? in->sinks : 0;
	source->appended = split_keys(in, slot) - in->queries;
#else
	source->last = PLAN_INDEX(unit->place) + 1 == PLAN_USED(unit->place);
#endif
}

/* Goes on with the next split in which the warp has keys. */
INLINE_PIECE void source_next(struct split_source *source)
{
	const struct split_launch *in = source->in;

	while (source->key >= source->end && source->run.count > 0) {
		struct plan_unit unit = source->run.ahead;
		long long cache = split_cache(in, unit.row / in->Hkv, unit.row % in->Hkv);

		plan_go_on(&source->run);
		source->k = in->k + cache;
		source->v = in->v + cache;
		source->key = unit.begin + (int)threadIdx.y * SPLIT_TILE(in->D);
		source->end = unit.end;
		source_locate(source, &unit);
	}
}

/* Issues the copies of `count` rows of a tile from a key on: with a window or pages, rows may be in
 * several places. */
INLINE_PIECE void source_copy(struct split_source *source, int place, int count, int D)
{
	const split_element *rows = source->values ? source->v : source->k;
	split_vector *tile = source->tiles + place * (SPLIT_TILE(D) * D / 4);
	int key = source->key;

#ifdef SPLIT_OPTIONS
	while (count > 0) {
		int row = key < source->sinks ? key : key + source->gap;
		int some = key < source->sinks ? min(count, source->sinks - key) : count;

		if (source->in->page_table)
			some = min(some, source->in->page - row % source->in->page);
		row = split_place_of_row(source->in, source->sequence, row);
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
	int count = min(source->end - source->key, SPLIT_TILE(D)), place = source->next;

	mbarrier_expect(&source->landed[place],
			(unsigned)(count * D) * sizeof(split_element));
	source_copy(source, place, count, D);
	source->busy++;
	source->next = place + 1 == source->stages ? 0 : place + 1;
	if (source->values) {
		source->key += SPLIT_STEP(D);
		source_next(source);
	}
	source->values = !source->values;
}

/* Whether the launch before may be writing keys of the next tile, or values. */
INLINE_PIECE bool source_must_wait(const struct split_source *source, int D)
{
#ifdef SPLIT_OPTIONS
	return !source->waited && source->key + SPLIT_TILE(D) > source->appended;
#else
	return !source->waited && source->last && source->key + SPLIT_TILE(D) >= source->end;
#endif
}

/* Issues copies until all places have one, none is left, or the next one has to wait. Does nothing
 * in lanes other than 0. */
INLINE_PIECE void source_fill(struct split_source *source, int D)
{
	while (source->busy < source->stages && source->key < source->end
	       && !source_must_wait(source, D))
		source_issue(source, D);
}

/* Prepares the ring, of `places` tiles for each warp, for the warp's tiles of `s`, which may be
 * none, and then of `run` unless it is NULL, and issues the first copies. `landed` are
 * SPLIT_WARPS * RING_PLACES barriers of the block. `overlaps`: the launch before may still run, and
 * the last keys of a sequence have to wait for it; those of `s` are among them if `last`. */
INLINE_PIECE void source_begin(struct split_source *source, const struct split *s,
			       const struct split_launch *in, const struct plan_run *run,
			       int places, uint64_t *landed, bool overlaps, bool last)
{
	source->stages = places;
	source->tiles = (split_vector *)s->tiles
		+ (int)threadIdx.y * source->stages * (SPLIT_TILE(s->D) * s->D / 4);
	source->landed = landed + threadIdx.y * RING_PLACES;
	source->place = -1;
	source->parity = true;
	source->busy = 0;
	source->next = 0;
	source->k = s->k;
	source->v = s->v;
	source->key = s->begin + (int)threadIdx.y * SPLIT_TILE(s->D);
	source->end = s->end;
	source->values = false;
	source->waited = !overlaps;
#ifdef SPLIT_OPTIONS
	(void)last;                     /* those of `s` do not overlap */
	source->sequence = s->sequence;
	source->sinks = s->sinks;
	source->gap = s->gap;
	source->appended = 0;
#else
	source->last = last;
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
	} else {
		source->end = source->key;
	}
	source_fill(source, in->D);
	__syncwarp();
}

typedef const split_vector *split_tile;

INLINE_PIECE split_tile source_wait(struct split_source *source, const split_element *rows,
				    int key, int D)
{
	(void)rows, (void)key;
	if (source->busy == 0 && source->key < source->end && source_must_wait(source, D)) {
		grid_wait();
		source->waited = true;
	}
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
