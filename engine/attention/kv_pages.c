/* kv_pages.c - checks page tables; see kv_pages.h. */
#include "engine/attention/kv_pages.h"

#include <stddef.h>

#include "kernels/split_rule.h"

enum status kv_pages_check(const char *who, const struct kv_pages *p, int kv_heads, int max_len)
{
	if (p->rows == 0)
		return STATUS_OK;
	if (!p->table)
		return fail(STATUS_USAGE, "%s: pages of %d rows need a page table", who, p->rows);
	if (p->rows < 0 || p->pool < 1 || p->each < 1)
		return fail(STATUS_USAGE, "%s: expected pages of 1 or more rows, a pool of 1 or "
			    "more pages, and 1 or more of a sequence, got %d, %d and %d", who,
			    p->rows, p->pool, p->each);
	if ((int64_t)p->rows * p->each > KV_PAGES_MAX_KEYS)
		return fail(STATUS_USAGE, "%s: %d pages of %d rows are more than %d keys", who,
			    p->each, p->rows, KV_PAGES_MAX_KEYS);
	if ((int64_t)p->rows * p->each != max_len)
		return fail(STATUS_USAGE, "%s: %d pages of %d rows are not the capacity of %d keys",
			    who, p->each, p->rows, max_len);
	/* Kernels count the rows of a pool in an int. */
	if ((int64_t)p->rows * p->pool > INT32_MAX / (kv_heads > 0 ? kv_heads : 1))
		return fail(STATUS_USAGE, "%s: %d pages of %d rows for %d KV heads are more than "
			    "%d rows", who, p->pool, p->rows, kv_heads, INT32_MAX);
	return STATUS_OK;
}

/* Checks the pages of rows [begin, end) of a sequence. */
static enum status check_rows(const struct kv_pages *p, int slot, int begin, int end)
{
	const int32_t *table = p->table + (size_t)slot * (size_t)p->each;

	for (int page = begin / p->rows; begin < end && page <= (end - 1) / p->rows; page++)
		if (table[page] < 0 || table[page] >= p->pool)
			return fail(STATUS_USAGE, "sequence %d, page %d: expected a page of the "
				    "pool, 0 to %d, got %d", slot, page, p->pool - 1, table[page]);
	return STATUS_OK;
}

enum status kv_pages_check_used(const struct kv_pages *p, int slot, int keys, int window, int sinks)
{
	int gap = SPLIT_GAP(keys, window, sinks);

	if (gap == 0)
		return check_rows(p, slot, 0, keys);
	TRY(check_rows(p, slot, 0, sinks));
	return check_rows(p, slot, sinks + gap, keys);
}
