/* kv_pages.h - keys and values in pages: which page of a pool has each part of a sequence.
 *
 * A pool is [pages, KV heads, rows of a page, D], as FlashInfer's layout HND. Row r of sequence m
 * is row r % rows of page table[m, r / rows]. Pages may be in any order, and several sequences may
 * have the same ones. Used by kv_cache.c, by the paths through struct attention_shape, and by
 * `attend`.
 */
#ifndef KV_PAGES_H
#define KV_PAGES_H

#include <stdint.h>

#include "base/status.h"

struct kv_pages {
	int rows;                       /* of a page; 0: there are no pages */
	int pool;                       /* pages of the pool */
	int each;                       /* entries of the table for each sequence */
	const int32_t *table;           /* [sequences, each] */
};

/* Checks the sizes, for sequences of up to `max_len` keys: USAGE that begins with `who`. */
enum status kv_pages_check(const char *who, const struct kv_pages *, int kv_heads, int max_len);
/* Checks that the pages are in the pool that have rows which a query of sequence `slot` sees, with
 * `keys` keys, a window and sinks (0: none). Other entries of the table may have any value. */
enum status kv_pages_check_used(const struct kv_pages *, int slot, int keys, int window, int sinks);

#endif
