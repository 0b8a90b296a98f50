/* store_index.h - finds the next or previous named point, and makes temporary tables for screens.
 *
 * Points are ordered by launch, thread and sequence. The w_* tables and views exist only on the
 * store's connection. Used by views and the viewer.
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

/* Moves *point to the next point (direction 1) or the previous one (-1) with the given name, or
 * with any name if NULL. *point itself need not exist. *found is false if there is none. */
enum status store_next_point(struct store *, int64_t run, const char *name, int direction,
			     struct store_point *point, bool *found);

/* Makes w_point: v_point's columns run, launch, sequence, name and the four v*_bits, and `thread`
 * (counted through the grid) instead of block, warp and lane. Threads in a range are found without
 * reading the others. Also makes w_request, w_access and w_access_line: as v_request, v_access and
 * v_access_line, but with numbers for kind and space, and `warp` counted through the grid instead
 * of block and warp. Also makes views of runs and launches, some of which are listed more than
 * once: w_attention has launches in which a block attends to the keys of one query, w_reduction
 * those that merge
 * chunks, w_published those with points; w_attends has those of w_attention, and those that attend
 * for many queries. In a run that was recorded without
 * partials or points, launches of our own kernels that have them are found by their names. */
enum status store_index_views(struct store *);
/* On the first call, makes w_kv: every row written to a KV cache, by a kernel, upload or copy.
 * Columns run, layer (-1: none), slot, tensor, position, op, launch (NULL: an upload or a copy),
 * buffer, source_op and source_offset as in v_kv, but NULL for an upload. The rows of a position
 * are written together, so only KV head 0 is listed; w_kv_load has the uploads of all KV heads.
 * Also makes w_kv_cache, the buffers of caches, and w_kv_place, one row per place that w_kv has
 * writes to: run, layer, slot, tensor, position, and first_op, which wrote there first. It stays
 * small if positions are written repeatedly. */
enum status store_index_kv(struct store *);
/* Joins w, the last write to place p up to operation `op`, found without reading earlier writes. */
#define STORE_KV_LAST(op) \
	" CROSS JOIN w_kv w ON w.run = p.run AND w.layer = p.layer AND w.slot = p.slot" \
	" AND w.tensor = p.tensor AND w.position = p.position AND w.op = (SELECT max(x.op)" \
	"  FROM w_kv x WHERE x.run = p.run AND x.layer = p.layer AND x.slot = p.slot" \
	"  AND x.tensor = p.tensor AND x.position = p.position AND x.op <= " op ")"
/* On the first call, makes two tables indexed by buffer. w_written has every range that an
 * operation wrote: run, buffer, op, entry of the digest (NULL: a transfer without one), launch
 * (NULL: none), offset and bytes (NULL: to the end). w_given has every launch with a buffer among
 * its arguments and every transfer out of one: run, buffer, op. */
enum status store_index_buffers(struct store *);
/* On the first call, makes w_kernel, one row per kernel of a run: run, kernel, launches (how many),
 * first, last, grid_x, grid_y, grid_z (the maximum) and duration_us (the mean). */
enum status store_index_kernels(struct store *);

/* To be called after any of these was interrupted. SQLite may then have rolled back the reader's
 * transaction, and with it the w_* tables and what store_check_format() added to an older trace.
 * Begins a new transaction, which may see a later state of a growing file, and makes the latter,
 * w_point and w_attention again. Does nothing if nothing was rolled back. */
enum status store_index_resume(struct store *);

#endif
