/* generate_paged.c - block tables and page pools, for labs on the paged KV cache; see generators.h.
 *
 * The pools are filled before: pages in no table belong to sequences outside the batch, and what a
 * sequence has not reached is stale, or was never written.
 */
#include "tui/lab/case/generators.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "tui/lab/case/lab_random.h"

struct paged {
	struct case_array *k, *v;
	int32_t *start, *table, *refs;
	int64_t slots, steps, pages, page, max_pages;
	int64_t prefix;                 /* pages that all slots share, and that are full */
	int64_t missing;                /* that many slots lack their last page */
	int64_t shared_tail;            /* that many slots cannot write their page */
	int64_t stale;                  /* whether unreached rows hold numbers */
	int64_t *order;                 /* the pages in random order */
	int64_t next;                   /* in `order` */
};

static void shuffle(struct paged *p, uint64_t seed)
{
	struct lab_random random = { seed_from("pages", seed) };

	for (int64_t i = 0; i < p->pages; i++) {
		int64_t k = random_integer(&random, 0, i);

		p->order[i] = p->order[k];
		p->order[k] = i;
	}
}

static int32_t take_page(struct paged *p)
{
	int32_t taken = (int32_t)p->order[p->next++];

	p->refs[taken] = 1;
	return taken;
}

static void clear_rows(struct paged *p, struct case_array *pool, int32_t page, int64_t first)
{
	int64_t row = (int64_t)pool->count / (p->pages * p->page);

	for (int64_t i = (page * p->page + first) * row; i < (page + 1) * p->page * row; i++)
		((float *)pool->data)[i] = (float)LAB_UNWRITTEN;
}

/* The pages of a slot, from its first position to the last one that the kernel appends. */
static void fill_slot(struct paged *p, int64_t slot)
{
	int32_t *table = p->table + slot * p->max_pages;
	int64_t start = p->start[slot], last = (start + p->steps - 1) / p->page;
	int64_t count = slot < p->missing ? last : last + 1;

	if (slot < p->shared_tail)
		count = start / p->page + 1;
	for (int64_t i = 0; i < p->max_pages; i++)
		table[i] = -1;
	if (start < 0)
		return;
	for (int64_t i = 0; i < count && i < p->max_pages; i++) {
		int64_t reached = start - i * p->page;

		table[i] = i < p->prefix && slot > 0 ? p->table[i] : take_page(p);
		p->refs[table[i]] = i < p->prefix ? (int32_t)p->slots : 1;
		if (p->stale || reached >= p->page)
			continue;
		clear_rows(p, p->k, table[i], reached > 0 ? reached : 0);
		clear_rows(p, p->v, table[i], reached > 0 ? reached : 0);
	}
	if (slot < p->shared_tail)
		p->refs[table[count - 1]] = 2;
}

static enum status find_sizes(struct lab_case *c, struct paged *p)
{
	TRY(generator_size(c, "slots", &p->slots));
	TRY(generator_size(c, "steps", &p->steps));
	TRY(generator_size(c, "pages", &p->pages));
	TRY(generator_size(c, "page", &p->page));
	TRY(generator_size(c, "max_pages", &p->max_pages));
	TRY(generator_size(c, "prefix", &p->prefix));
	TRY(generator_size(c, "missing", &p->missing));
	TRY(generator_size(c, "shared_tail", &p->shared_tail));
	TRY(generator_size(c, "stale", &p->stale));
	return p->slots * p->max_pages <= p->pages ? STATUS_OK
		: fail(STATUS_INTERNAL, "lab %d: the pool is smaller than the tables",
		       c->lab->number);
}

/* Inputs: k_pool, v_pool [pages, page, ..], start [slots] (-1: finished), table [slots, max_pages],
 * refs [pages]. start must be from prefix * page. */
enum status generate_paged_cache(struct lab_case *c)
{
	struct case_array *start, *table, *refs;
	struct paged p = { 0 };

	TRY(generator_array(c, "k_pool", &p.k));
	TRY(generator_array(c, "v_pool", &p.v));
	TRY(generator_array(c, "start", &start));
	TRY(generator_array(c, "table", &table));
	TRY(generator_array(c, "refs", &refs));
	TRY(find_sizes(c, &p));
	p.start = start->data;
	p.table = table->data;
	p.refs = refs->data;
	p.order = xcalloc((size_t)p.pages, sizeof *p.order);
	shuffle(&p, c->seed);
	for (int64_t i = 0; i < p.pages; i++)
		p.refs[i] = 1;
	for (int64_t slot = 0; slot < p.slots; slot++)
		fill_slot(&p, slot);
	free(p.order);
	return STATUS_OK;
}
