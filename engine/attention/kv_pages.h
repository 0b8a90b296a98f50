/* kv_pages.h - keys and values in pages: which page of a pool holds each part of a sequence.
 *
 * A pool is [pages, KV heads, rows of a page, D], as FlashInfer's layout HND. Row r of sequence m
 * is row r % rows of page table[m, r / rows]. Pages may be in any order, and several sequences may
 * have the same ones. Used by kv_cache.c, by the paths through struct attention_shape, and by
 * `attend`.
 */
#ifndef KV_PAGES_H
#define KV_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Keys of a sequence: kernels count them in an int, in which a step past the last one must fit. */
#define KV_PAGES_MAX_KEYS (INT32_MAX - 128)

struct kv_pages {
	int rows;                       /* of a page; 0: there are no pages */
	int pool;                       /* pages of the pool */
	int each;                       /* entries of the table for each sequence */
	const int32_t *table;           /* [sequences, each] */
	bool append;                    /* steps append rows, to pages that no other row is in */
};

/* Checks the sizes, for sequences of up to `max_len` keys: USAGE that begins with `who`. */
enum status kv_pages_check(const char *who, const struct kv_pages *, int kv_heads, int max_len);
/* Checks the entries of the table for the rows that a query of sequence `slot` sees, with `keys`
 * keys, a window and sinks (0: none): they must be pages of the pool. Other entries may have any
 * value. */
enum status kv_pages_check_used(const struct kv_pages *, int slot, int keys, int window, int sinks);

#endif
