/* view_chunk.h - one chunk: its scores, its tiles, and whether its result matches them. */
#ifndef VIEW_CHUNK_H
#define VIEW_CHUNK_H

#include "tui/views/view_scores.h"

/* A chunk's partial, as recorded; or the row of a kernel that has no chunks. */
struct view_chunk {
	const struct view_shape *shape; /* of its launch */
	int64_t slot, head, chunk, block;
	int64_t key_begin, key_end;
	float max, sum;
	double lse, share;              /* share: of its row of heads */
	double row_shares;              /* the sum of the shares of its row's chunks */
	bool empty;
	bool whole;                     /* no partial: one block attends to all keys and divides */
	int64_t acc_data, acc_offset;   /* its accumulators, or its output; acc_data 0: not kept */
};

/* The widths of a table of chunks, and the largest numbers in it; begins as zeros. */
struct view_chunk_table {
	int address, keys;
	double max, sum;
};

/* Makes the columns wide enough for a chunk; then prints their heading, and a chunk. */
void view_chunk_measure(const struct view_context *, struct view_chunk_table *,
			const struct view_chunk *);
void view_chunk_heading(const struct view_context *, const struct view_chunk_table *);
void view_chunk_print(const struct view_context *, const struct view_chunk_table *,
		      const struct view_chunk *);

/* Draws the chunks of the row of heads of the address's block, and the chunk of the block. In
 * view_chunk_row.c. */
enum status view_chunk_row_draw(const struct view_context *, const struct view_shape *);

/* Draws the chosen chunk of a row's `count` chunks: checks, tiles and scores. Also draws a strip
 * for each chunk, with its text and the weight of each key in the whole row. */
enum status view_chunk_draw(const struct view_context *, const struct view_chunk *, int count,
			    int chosen);

/* Checks the invariants of a chunk and explains a failure. The keys have scores and values as far
 * as they are known. In view_chunk_check.c. */
enum status view_chunk_check(const struct view_context *, const struct view_chunk *,
			     const struct view_scores *);

#endif
