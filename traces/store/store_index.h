/* store_index.h - from one named point of a recorded run to the next or the one before.
 *
 * Points are ordered by launch, thread and sequence. Serves the viewer.
 */
#ifndef STORE_INDEX_H
#define STORE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct store;

struct store_point {
	int64_t launch;
	int64_t thread;                 /* counted through the grid */
	int64_t sequence;
};

/* Moves *point to the next one after it (direction 1) or before it (-1), of the given name or, when
 * that is NULL, of any. *point itself need not be there. *found false: there is none. */
enum status store_next_point(struct store *, int64_t run, const char *name, int direction,
			     struct store_point *point, bool *found);

/* Makes w_point, for SELECTs on this store alone: v_point's columns run, launch, sequence, name and
 * the four v*_bits, and `thread` (counted through the grid) in place of block, warp and lane.
 * Threads in a range are found without reading the others. And w_attention: run and launch of every
 * launch that attends to the keys of one query a block, of some more than once. */
enum status store_index_views(struct store *);
/* Makes w_kv the first time: every row that came into a KV cache, by a kernel or by a load. Columns
 * run, layer (-1: none), slot, tensor, position, op, launch (NULL: a load), buffer, source_op and
 * source_offset as in v_kv. The rows of a position are written together: KV head 0 stands for
 * all. And w_kv_place: the places that w_kv has writes to, run, layer, slot, tensor and position,
 * and first_op, which wrote there first. Few, where positions are written again and again. */
enum status store_index_kv(struct store *);
/* Joins w, the last write to place p up to operation `op`, found without reading those before. */
#define STORE_KV_LAST(op) \
	" CROSS JOIN w_kv w ON w.run = p.run AND w.layer = p.layer AND w.slot = p.slot" \
	" AND w.tensor = p.tensor AND w.position = p.position AND w.op = (SELECT max(x.op)" \
	"  FROM w_kv x WHERE x.run = p.run AND x.layer = p.layer AND x.slot = p.slot" \
	"  AND x.tensor = p.tensor AND x.position = p.position AND x.op <= " op ")"
/* Makes the first time, both to be found by buffer: w_written of every range that an operation
 * wrote, columns run, buffer, op, entry of the digest (NULL: a transfer without one), launch (NULL:
 * none), offset and bytes (NULL: to the end); w_given of every launch that is given a buffer and
 * every transfer out of one, columns run, buffer, op. */
enum status store_index_buffers(struct store *);
/* Makes w_kernel the first time, one row per kernel of a run: run, kernel, launches (how many),
 * first, last, grid_x, grid_y, grid_z (the greatest) and duration_us (the mean). */
enum status store_index_kernels(struct store *);

/* After any of these was interrupted. SQLite then rolls back the transaction that a reader lives in,
 * and with it all that they made, and what the file lacks of later versions: begins the next, which
 * may see a later state of a file that grows, and makes these, w_point and w_attention again. Nothing
 * to do where nothing was rolled back. */
enum status store_index_resume(struct store *);

#endif
