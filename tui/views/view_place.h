/* view_place.h - the launch that an address refers to, and its shape. */
#ifndef VIEW_PLACE_H
#define VIEW_PLACE_H

#include "tui/views/view.h"

struct view_place {
	int64_t launch, op, step;       /* step is -1 outside of steps */
	int64_t layer;                  /* -1: none */
	int64_t grid[3], block[3];
	char kernel[64];
};
/* Finds the launch of the address. If the address has none, finds the last launch for which `table`
 * (a view with a column launch) has rows, up to the end of the step or operation that the address
 * names. *found is false if there is none. USAGE if the launch, block, warp or lane of the address
 * does not exist. */
enum status view_place_find(const struct view_context *, const char *table, struct view_place *,
			    bool *found);
/* How the names of the kernels begin that publish partials of chunks, and that merge them. */
#define VIEW_CHUNK_KERNEL "flash_decode_chunk"
#define VIEW_REDUCE_KERNEL "flash_decode_reduce"
bool view_kernel_is(const char *kernel, const char *family);
/* Whether what a launch has in the partial of a chunk without keys is wrong: -inf and 0 are right.
 * Kernels with a plan leave such a chunk out, so whatever was there before is right. */
bool view_place_empty_wrong(const struct view_place *, float max, float sum);
/* The end of a line about chunks without keys, of which some are wrong, or none. */
const char *view_place_empty_text(const struct view_place *, bool wrong);

#define VIEW_NEAR 32                    /* launches to search: more than a layer has */

/* The block of `to` with the row of heads that a block of `from` has: chunks are (H, M, chunks),
 * reductions (H, M). -1 if their rows differ. */
int64_t view_place_carry(const struct view_place *from, const struct view_place *to,
			 int64_t block);
/* Where the launch of the address is one of two that share a screen's subject, the chunks of a step
 * and layer and their reduction: puts the other one, the nearest that `table` has rows for, into
 * *at, with the row of heads of the address's block, and its place into *place. Otherwise leaves
 * both alone. direction: 1 after the launch, -1 before it. */
enum status view_place_pair(const struct view_context *, const char *table, int direction,
			    struct view_place *, struct address *at);
/* The last operation of the address: of its step, or its own. INT64_MAX if it names neither, or a
 * step that was cut off. */
enum status view_place_last_op(const struct view_context *, int64_t *op);
int64_t view_place_blocks(const struct view_place *);
int64_t view_place_rows(const struct view_place *);             /* heads x slots: of grid x, y */
int64_t view_place_threads(const struct view_place *);          /* of a block */
/* The number of a block's thread in the whole grid. These saturate at INT64_MAX. */
int64_t view_place_thread(const struct view_place *, int64_t block, int64_t thread);
/* "L12 flash_decode_chunk, step 3, layer 0". */
void view_place_title(const struct view_context *, const char *what, const struct view_place *);

#endif
