/* split_ring.cuh - the tiles of a warp in a ring of shared memory that bulk copies fill.
 *
 * Keys and values alternate: tile 2 * i of the ring's sequence is keys, tile 2 * i + 1 the values
 * of the same keys. Each place of the ring has a barrier that completes when its copy has landed;
 * the barrier's parity changes each time the ring goes round. Lane 0 issues the copies: the first
 * ones before the queries are loaded, and one more whenever the warp has read a tile.
 */
#ifndef SPLIT_RING_CUH
#define SPLIT_RING_CUH

#include "kernels/split.cuh"
#include "sim/cuda/async.h"

#define SPLIT_MAX_STAGES 6

struct split_source {
	float4 *tiles;                  /* [stages] of the warp */
	uint64_t *landed;               /* [stages] */
	int issued, asked;              /* tiles of the warp's sequence */
	int tile_count;
	int place;                      /* of the tile asked for last */
	bool parity;
};

/* Issues the copy of the next tile, if there is one. */
INLINE_PIECE void source_issue(struct split_source *source, const struct split *s, int place,
				int D)
{
	int index = source->issued++;
	int key = s->begin + (int)threadIdx.y * SPLIT_TILE + index / 2 * SPLIT_UNIT;
	unsigned bytes = (unsigned)(min(s->end - key, SPLIT_TILE) * D) * sizeof(float);
	const float *rows = (index % 2 ? s->v : s->k) + (long long)key * D;

	mbarrier_expect(&source->landed[place], bytes);
	async_bulk_load(source->tiles + place * (SPLIT_TILE * D / 4), rows, bytes,
			&source->landed[place]);
}

/* Issues the first copies. */
INLINE_PIECE void source_begin(struct split_source *source, const struct split *s, int D)
{
	__shared__ uint64_t landed[SPLIT_WARPS * SPLIT_MAX_STAGES];
	int first = s->begin + (int)threadIdx.y * SPLIT_TILE;

	source->tiles = (float4 *)s->merged
		+ (int)threadIdx.y * SPLIT_STAGES(D) * (SPLIT_TILE * D / 4);
	source->landed = landed + threadIdx.y * SPLIT_MAX_STAGES;
	source->issued = source->asked = 0;
	source->tile_count = first < s->end
		? 2 * ((s->end - first + SPLIT_UNIT - 1) / SPLIT_UNIT) : 0;
	source->place = -1;
	source->parity = true;
	if (threadIdx.x == 0) {
		for (int i = 0; i < SPLIT_STAGES(D); i++)
			mbarrier_init(&source->landed[i], 1);
		mbarrier_init_fence();
		for (int i = 0; i < SPLIT_STAGES(D) && i < source->tile_count; i++)
			source_issue(source, s, i, D);
	}
	__syncwarp();
}

INLINE_PIECE const float4 *source_wait(struct split_source *source, const float *rows,
					    int key, int D)
{
	(void)rows, (void)key;
	source->place = source->place + 1 == SPLIT_STAGES(D) ? 0 : source->place + 1;
	if (source->place == 0)
		source->parity = !source->parity;
	mbarrier_wait(&source->landed[source->place], source->parity);
	return source->tiles + source->place * (SPLIT_TILE * D / 4);
}

INLINE_PIECE void source_release(struct split_source *source, const struct split *s, int D)
{
	if (threadIdx.x == 0 && source->issued < source->tile_count)
		source_issue(source, s, source->place, D);
}

#endif
