/* view_cache.h - rows of the KV cache by value, as they were at some moment of a run. */
#ifndef VIEW_CACHE_H
#define VIEW_CACHE_H

#include "tui/views/view.h"

#define VIEW_CACHE_ELEMENTS 4096        /* of a row, at most */

struct view_cache {
	int64_t op;                     /* rows written up to this operation count */
	int64_t layer, slot, kv_head;   /* layer -1: none */
};

/* What an element never written holds: the fill of every device's new memory. */
#define VIEW_POISON 0x7fa0deadu

/* Copies rows of tensor 'k' or 'v' at positions begin <= i < end, d floats each, to out
 * [end - begin][d], and counts them. Others were never written, or their bytes are not in the trace:
 * those are left as they were. */
enum status view_cache_read(const struct view_context *, const struct view_cache *, char tensor,
			    int64_t begin, int64_t end, int64_t d, float *out, int64_t *count);

#endif
