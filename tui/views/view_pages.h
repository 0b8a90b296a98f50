/* view_pages.h - which pages of a pool have the rows of a sequence that a launch attends to. */
#ifndef VIEW_PAGES_H
#define VIEW_PAGES_H

#include "tui/views/view_cache.h"
#include "tui/views/view_visible.h"

/* Row r of the sequence is row r % rows of page table[r / rows]. In the trace, a page is a slot of
 * a cache, and its rows are positions (engine/attention/kv_cache.h). */
struct view_pages {
	int64_t rows;                   /* of a page; 0: the launch has no pages */
	int64_t keys;                   /* of the sequence; -1: unknown */
	int64_t count;                  /* pages that have these */
	int32_t *table;                 /* [count]; NULL: unknown */
};

/* Reads the arguments of a launch, an operation. The caller frees it, also after an error. */
enum status view_pages_read(const struct view_context *, int64_t op, int64_t slot,
			    struct view_pages *);
void view_pages_free(struct view_pages *);
/* Whether the caches of the run are pools of pages. */
enum status view_pages_used(const struct view_context *, bool *used);
/* As view_cache_read(), of rows of the sequence wherever they are; the slot of `cache` is unused
 * then. Without pages it is view_cache_read(). */
enum status view_pages_cache_read(const struct view_context *, const struct view_pages *,
				  const struct view_cache *cache, char tensor, int64_t begin,
				  int64_t end, int64_t d, float *out, int64_t *count);
/* "19 pages of 16 rows: 4 7 1 0 - 9 3 8 .. 5", with "-" for those without visible keys; "": no
 * pages. */
void view_pages_text(const struct view_pages *, const struct view_visible *, char text[160]);

#endif
