/* split_walk.cuh - where the tiles are that a warp copies to shared memory, one after another.
 *
 * A warp attends to its tiles of one split or of a run of splits, without a break between them. Its
 * copies are ahead of that: a walk says which tile is copied next, and whether it has to wait.
 *
 * A launch that overlaps the one before it (sim/cuda/programmatic.h) leaves out the last tile of a
 * sequence, which that one may be writing, until the warp has attended to all before it or, on
 * tensor cores, until the tile's copies are due. With several queries of a sequence these are the
 * tiles with as many of its last keys. Before a kernel writes anything, all of its threads wait.
 */
#ifndef SPLIT_WALK_CUH
#define SPLIT_WALK_CUH

#include "kernels/split.cuh"
#include "kernels/split_plan.cuh"
#include "sim/cuda/programmatic.h"

struct split_walk {
	const struct split_launch *in;
	long long cache;                /* see split_cache() */
	int key, end;                   /* of the tile; of its split. No more tiles: key >= end */
	bool waited;                    /* for the launch before, if this one may overlap it */
#ifdef SPLIT_OPTIONS
	int sequence, sinks, gap;
	int appended;                   /* keys from here on may have been appended just before */
#else
	bool last;                      /* its split is the last one of its sequence */
#endif
	struct plan_run run;            /* the splits after that one */
};

/* Sets where the keys of a unit's split are, and which of them have to wait. */
INLINE_PIECE void walk_locate(struct split_walk *walk, const struct plan_unit *unit)
{
#ifdef SPLIT_OPTIONS
	const struct split_launch *in = walk->in;
	int slot = unit->row / in->Hkv;

	walk->sequence = slot / in->queries;
	walk->gap = SPLIT_GAP(in->seq_lens[slot], in->window, in->sinks);
	walk->sinks = walk->gap > 0 ? in->sinks : 0;
	walk->appended = split_keys(in, slot) - in->queries;
#else
	walk->last = PLAN_INDEX(unit->place) + 1 == PLAN_USED(unit->place);
#endif
}

/* At the end of a split, goes on with the next one in which the warp has keys. */
INLINE_PIECE void walk_go_on(struct split_walk *walk)
{
	const struct split_launch *in = walk->in;

	while (walk->key >= walk->end && walk->run.count > 0) {
		struct plan_unit unit = walk->run.ahead;

		plan_go_on(&walk->run);
		walk->cache = split_cache(in, unit.row / in->Hkv, unit.row % in->Hkv);
		walk->key = unit.begin + (int)threadIdx.y * SPLIT_TILE(in->D);
		walk->end = unit.end;
		walk_locate(walk, &unit);
	}
}

/* Begins with the warp's first tile of `s`, which may have none, or of `run`, if that is not NULL.
 * `overlaps`: the launch before may still run, and the last keys of a sequence have to wait for it;
 * those of `s` are among them if `last`. */
INLINE_PIECE void walk_begin(struct split_walk *walk, const struct split *s,
			     const struct split_launch *in, const struct plan_run *run,
			     bool overlaps, bool last)
{
	walk->in = in;
	walk->cache = s->cache;
	walk->key = s->begin + (int)threadIdx.y * SPLIT_TILE(s->D);
	walk->end = s->end;
	walk->waited = !overlaps;
#ifdef SPLIT_OPTIONS
	(void)last;                     /* those of `s` do not overlap */
	walk->sequence = s->sequence;
	walk->sinks = s->sinks;
	walk->gap = s->gap;
	walk->appended = 0;
#else
	walk->last = last;
#endif
	walk->run.count = 0;
	if (run)
		walk->run = *run;
}

/* Whether the launch before may be writing keys of the tile, or values. */
INLINE_PIECE bool walk_must_wait(const struct split_walk *walk, int D)
{
#ifdef SPLIT_OPTIONS
	return !walk->waited && walk->key + SPLIT_TILE(D) > walk->appended;
#else
	return !walk->waited && walk->last && walk->key + SPLIT_TILE(D) >= walk->end;
#endif
}

INLINE_PIECE void walk_wait(struct split_walk *walk)
{
	grid_wait();
	walk->waited = true;
}

#endif
