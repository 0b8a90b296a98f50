/* reference_paged.c - a paged KV cache after some steps, and attention over it, in float64; see
 * references.h. */
#include "tui/lab/reference/references.h"

#include <string.h>

struct paged {
	const struct case_array *q, *k_new, *v_new, *start, *table, *refs;
	double *k, *v, *refused, *out;
	size_t slots, heads, d, page, max_pages, steps;
};

/* The page of a position; -1 if the slot has none. */
static int64_t page_of(const struct paged *p, size_t slot, size_t position)
{
	size_t i = position / p->page;

	return i >= p->max_pages ? -1
		: (int64_t)reference_value(p->table, slot * p->max_pages + i);
}

/* The first element of a row of all heads. */
static size_t row_of(const struct paged *p, size_t page, size_t position)
{
	return (page * p->page + position % p->page) * p->heads * p->d;
}

static void append(struct paged *p, size_t slot, size_t t)
{
	size_t position = (size_t)reference_value(p->start, slot) + t, row = p->heads * p->d;
	int64_t page = page_of(p, slot, position);

	if (page < 0 || reference_value(p->refs, (size_t)page) > 1) {
		p->refused[slot] = 1;
		return;
	}
	for (size_t i = 0; i < row; i++) {
		size_t from = (t * p->slots + slot) * row + i;

		p->k[row_of(p, (size_t)page, position) + i] = reference_value(p->k_new, from);
		p->v[row_of(p, (size_t)page, position) + i] = reference_value(p->v_new, from);
	}
}

static double score(const struct paged *p, size_t query, const double *k)
{
	double sum = 0;

	for (size_t j = 0; j < p->d; j++)
		sum += reference_value(p->q, query * p->d + j) * k[j];
	return sum / sqrt((double)p->d);
}

static void attend(struct paged *p, size_t slot, size_t head)
{
	size_t length = (size_t)reference_value(p->start, slot) + p->steps;
	size_t query = slot * p->heads + head;
	double max = -INFINITY, sum = 0, *out = p->out + query * p->d;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < length; i++) {
			size_t row = row_of(p, (size_t)page_of(p, slot, i), i) + head * p->d;
			double s = score(p, query, p->k + row), weight = exp(s - max);

			if (pass == 0) {
				max = fmax(max, s);
				continue;
			}
			sum += weight;
			for (size_t j = 0; j < p->d; j++)
				out[j] += weight * p->v[row + j];
		}
	}
	for (size_t j = 0; j < p->d; j++)
		out[j] /= sum;
}

static void copy_pool(const struct case_array *pool, double *to)
{
	for (size_t i = 0; i < pool->count; i++)
		to[i] = reference_value(pool, i);       /* NaN, so LAB_ANY, if never written */
}

static void find_sizes(struct reference_job *job, struct paged *p)
{
	p->slots = (size_t)reference_size(job, "slots");
	p->heads = (size_t)reference_size(job, "heads");
	p->d = (size_t)reference_size(job, "d");
	p->page = (size_t)reference_size(job, "page");
	p->max_pages = (size_t)reference_size(job, "max_pages");
	p->steps = (size_t)reference_size(job, "steps");
}

/* out: k_pool, v_pool, refused[slots], out[slots, heads, d]. A slot with a position that cannot be
 * written is refused, and its out is 0, like that of a slot that has finished. */
void reference_paged(struct reference_job *job)
{
	const struct case_array *k = reference_array(job, "k_pool");
	const struct case_array *v = reference_array(job, "v_pool");
	struct paged p = {
		.q = reference_array(job, "q"), .k_new = reference_array(job, "k_new"),
		.v_new = reference_array(job, "v_new"), .start = reference_array(job, "start"),
		.table = reference_array(job, "table"), .refs = reference_array(job, "refs"),
		.k = reference_output(job, "k_pool"), .v = reference_output(job, "v_pool"),
		.refused = reference_output(job, "refused"), .out = reference_output(job, "out"),
	};

	find_sizes(job, &p);
	if (job->missing)
		return;
	copy_pool(k, p.k);
	copy_pool(v, p.v);
	memset(p.refused, 0, p.slots * sizeof *p.refused);
	memset(p.out, 0, p.slots * p.heads * p.d * sizeof *p.out);
	for (size_t slot = 0; slot < p.slots; slot++) {
		bool live = reference_value(p.start, slot) >= 0;

		for (size_t t = 0; t < p.steps && live; t++)
			append(&p, slot, t);
		for (size_t head = 0; head < p.heads && live && p.refused[slot] == 0; head++)
			attend(&p, slot, head);
	}
}
