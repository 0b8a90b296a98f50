/* view_cache.h - values of rows of the KV cache, as of an operation of a run. */
#ifndef VIEW_CACHE_H
#define VIEW_CACHE_H

#include "tui/views/view.h"

#define VIEW_CACHE_ELEMENTS 4096        /* max per row */

struct view_cache {
	int64_t op;                     /* rows written up to this operation count */
	int64_t layer, slot, kv_head;   /* layer -1: none */
};

/* The value of an element never written: every device fills new memory with it. */
#define VIEW_POISON 0x7fa0deadu

/* Copies rows of tensor 'k' or 'v' at positions begin <= i < end, d floats each, to out
 * [end - begin][d], and counts them. Rows that were never written, or whose bytes are not in the
 * trace, are left unchanged in `out`. Values of e4m3 are codes times the scale of their KV head,
 * and are left unchanged without it. */
enum status view_cache_read(const struct view_context *, const struct view_cache *, char tensor,
			    int64_t begin, int64_t end, int64_t d, float *out, int64_t *count);
/* What codes of tensor 'k' or 'v' in a cache of e4m3 are multiplied by; NAN for other caches, and
 * if it is not in the trace. */
enum status view_cache_scale(const struct view_context *, int64_t kv_head, char tensor,
			     double *out);

#endif
