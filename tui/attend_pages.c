/* attend_pages.c - `flashtwin attend --page-table`: keys and values in pages of a pool.
 *
 * The pools hold all rows, and a step appends none. Where a row is: engine/attention/kv_pages.h.
 */

#include "tui/attend.h"
#include "tui/attend_tensor.h"

enum status attend_pages_parse(struct attend *attend)
{
	if (attend->page > 0 && !attend->page_table_path)
		return fail(STATUS_USAGE, "--page needs --page-table");
	/* The last option that needs this path is the one that an error names. */
	if (attend->page_table_path)
		attend->run.attention = "page-table";
	return STATUS_OK;
}

void attend_pages_wanted(const struct attend *attend, int64_t wanted[4])
{
	wanted[0] = -1;
	wanted[2] = attend->page > 0 ? attend->page : -1;
}

enum status attend_pages_read(struct attend *attend)
{
	const struct npy *k = &attend->k;
	struct npy *table = &attend->page_table;
	struct kv_pages *pages = &attend->shape.pages;
	int64_t wanted[] = { attend->q.rank > 2 ? attend->q.shape[0] : 1, -1 };
	int rank;

	TRY(npy_read(attend->page_table_path, table));
	rank = attend->q.rank > 2 || table->rank == 2 ? 2 : 1;
	TRY(attend_check_tensor("--page-table", attend->page_table_path, table, DTYPE_I32, rank,
				rank == 2 ? wanted : wanted + 1));
	*pages = (struct kv_pages){
		.rows = (int)k->shape[2], .pool = (int)k->shape[0],
		.each = (int)table->shape[rank - 1], .table = table->data,
	};
	if (pages->rows == 0 || pages->pool == 0)
		return fail(STATUS_USAGE, "--k %s: expected 1 or more pages of 1 or more rows, got "
			    "%d of %d", attend->k_path, pages->pool, pages->rows);
	if (pages->each == 0 || pages->each > KV_PAGES_MAX_KEYS / pages->rows)
		return fail(STATUS_USAGE, "--page-table %s: expected 1 to %d pages of %d rows for "
			    "each sequence, got %d", attend->page_table_path,
			    KV_PAGES_MAX_KEYS / pages->rows, pages->rows, pages->each);
	attend->rows = pages->rows * pages->each;
	return STATUS_OK;
}

enum status attend_pages_check(const struct attend *attend)
{
	const struct attention_shape *s = &attend->shape;

	for (int slot = 0; slot < s->slots; slot++)
		if (kv_pages_check_used(&s->pages, slot, attend->lengths[slot],
					attention_whole_window(s), s->sinks) != STATUS_OK)
			return fail_context(STATUS_USAGE, "--page-table %s",
					    attend->page_table_path);
	return STATUS_OK;
}

enum status attend_pages_load(const struct attend *attend, struct kv_cache *cache)
{
	for (int slot = 0; slot < attend->shape.slots; slot++)
		kv_cache_set_length(cache, 0, slot, attend->lengths[slot]);
	return kv_cache_load_pools(cache, 0, attend->k.data, attend->v.data);
}
