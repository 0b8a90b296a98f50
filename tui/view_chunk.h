/* view_chunk.h - what is in one chunk: its scores, its tiles, and whether its partial fits them. */
#ifndef VIEW_CHUNK_H
#define VIEW_CHUNK_H

#include "tui/view.h"

/* A chunk's partial, as recorded. */
struct view_chunk {
	const struct view_place *place;
	int64_t slot, head, chunk, block;
	int64_t key_begin, key_end;
	float max, sum;
	double lse, weight;             /* weight: its share of its row of heads */
	bool empty;
};

/* One strip a chunk: the weight of each key in the whole row. Nothing where no scores are. */
enum status view_chunk_strips(const struct view_context *, const struct view_chunk *, int count);
/* Tiles, scores and checks of one. */
enum status view_chunk_draw(const struct view_context *, const struct view_chunk *);

#endif
