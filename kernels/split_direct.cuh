/* split_direct.cuh - a block attends to its split, with tiles read where they are: rung 5.
 *
 * Included only by flash_decode_split.cu and its versions for other types of keys and values, after
 * they say which (kernels/split_element.cuh).
 */
#ifndef SPLIT_DIRECT_CUH
#define SPLIT_DIRECT_CUH

#include "kernels/split.cuh"

/* Tiles are read where they are. */
#ifdef SPLIT_OPTIONS

struct split_source {
	const struct split_launch *in;
	int sequence, sinks, gap, end;  /* of the split */
};

typedef struct split_place_of_tile {
	const split_element *rows;      /* as split_cache() */
	int place;                      /* lane i: how many rows further on row i of the tile is */
} split_tile;

/* Each lane finds one row for all of them: with pages this takes a division and a load. Lanes past
 * the last key find that one. */
INLINE_PIECE split_tile source_wait(struct split_source *source, const split_element *rows,
				    int key, int D)
{
	int row = min(key + (int)threadIdx.x, source->end - 1);
	split_tile tile = { rows, 0 };

	(void)D;
	if (row >= source->sinks)
		row += source->gap;
	tile.place = split_place_of_row(source->in, source->sequence, row);
	return tile;
}

INLINE_PIECE const split_vector *split_row(split_tile tile, int i, int D)
{
	int place = __shfl_sync(FULL_WARP, tile.place, i);

	return (const split_vector *)(tile.rows + (long long)place * D);
}

#else

struct split_source {
	int unused;
};

typedef const split_vector *split_tile;

INLINE_PIECE split_tile source_wait(struct split_source *source, const split_element *rows,
				    int key, int D)
{
	(void)source;
	return (const split_vector *)(rows + (long long)key * D);
}

#define split_row(tile, i, D) ((tile) + (i) * ((D) / 4))

#endif

INLINE_PIECE void source_release(struct split_source *source)
{
	(void)source;
}

INLINE_PIECE void source_fill(struct split_source *source, int D)
{
	(void)source, (void)D;
}

INLINE_PIECE void split_run(const struct split_launch *in, int heads, split_attend_fn *attend,
			    float *shared)
{
	struct split_source source = { 0 };
	struct split s;

	split_place(&s, in, heads, shared, 0);
	split_of_block(&s, in);
	if (s.begin >= s.end) {
		split_publish_empty(&s, in->partials);
		return;
	}
#ifdef SPLIT_OPTIONS
	source.in = in;
	source.sequence = s.sequence;
	source.end = s.end;
	source.sinks = s.sinks;
	source.gap = s.gap;
#endif
	attend(&s, &source);
	split_publish(&s, in->partials);
}

#endif
