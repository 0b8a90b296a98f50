/* overlay.h - shows rows of one trace in another one that is open for reading: what a replay of a
 * launch recorded in more detail.
 *
 * Nothing is written to the file: the rows are in temporary tables of the connection. Used by views
 * for launches that were replayed for their points.
 */
#ifndef OVERLAY_H
#define OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct store;

/* Makes v_partial, v_reduce, v_point and w_point, and the data of v_digest, also have what `from`
 * has of a launch, which has the same number there. What the trace itself has of the launch stays,
 * except that all points are taken from `from`. The tables t_* do not change, so that traces are
 * compared as they were recorded. store_index_views() has been called. Only the last few launches
 * are kept. */
enum status overlay_add(struct store *, struct store *from, int64_t run, int64_t launch);
/* Whether overlay_add() has added the launch, and it is still there. */
enum status overlay_has(struct store *, int64_t run, int64_t launch, bool *has);
/* The bytes of a piece of data that was added, whose number is negative. */
enum status overlay_data(struct store *, int64_t data, void **bytes, size_t *count);

#endif
