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
	int sinks, gap;                 /* of the split */
};

typedef struct split_place_of_tile {
	const split_element *rows;      /* of key 0 */
	int key, sinks, gap;
} split_tile;

INLINE_PIECE split_tile source_wait(struct split_source *source, const split_element *rows,
				    int key, int D)
{
	split_tile tile = { rows, key, source->sinks, source->gap };

	(void)D;
	return tile;
}

INLINE_PIECE const split_vector *split_row(split_tile tile, int i, int D)
{
	int key = tile.key + i;

	if (key >= tile.sinks)
		key += tile.gap;
	return (const split_vector *)(tile.rows + (long long)key * D);
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

INLINE_PIECE void source_release(struct split_source *source, int D)
{
	(void)source, (void)D;
}

#include "kernels/split_kernel.cuh"

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
	source.sinks = s.sinks;
	source.gap = s.gap;
#endif
	attend(&s, &source);
	split_publish(&s, in->partials);
}

#endif
