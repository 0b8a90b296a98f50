/* generate_partials.c - the partials of splits, for labs that merge them; see generators.h.
 *
 * part_m and part_l are [..], part_o is [.., pitch]. A split with part_l <= 0 is empty.
 */
#include "tui/lab/case/generators.h"

#include <math.h>

struct partials {
	struct case_array *o, *m, *l, *values;
	size_t rows, splits, d, pitch;
	size_t row_step, split_step;            /* of part_m and part_l */
};

static float *at(const struct case_array *a, size_t i)
{
	return (float *)a->data + i;
}

/* values[row, split, 0..d] becomes the accumulator, which is the sum times the average. An empty
 * split has no accumulator. The rest of a row of part_o is padding. */
static void make_partial(const struct partials *p, size_t row, size_t split)
{
	size_t place = row * p->row_step + split * p->split_step;
	const float *v = at(p->values, (row * p->splits + split) * p->d);
	float *l = at(p->l, place), *o = at(p->o, place * p->pitch);

	if (*l <= 0) {
		*l = 0;
		*at(p->m, place) = -INFINITY;
	} else if (*l < 1) {
		*l = 1;                         /* the largest score alone contributes exp(0) */
	}
	for (size_t j = 0; j < p->pitch; j++)
		o[j] = *l > 0 && j < p->d ? *l * v[j] : (float)LAB_UNWRITTEN;
}

/* Empty splits have no values, but are part of the array that the convex hull is taken of: they get
 * those of a split with keys, or 0 if the row has none. */
static void fill_empty(const struct partials *p, size_t row)
{
	size_t used = 0;

	while (used < p->splits && *at(p->l, row * p->row_step + used * p->split_step) <= 0)
		used++;
	for (size_t s = 0; s < p->splits; s++) {
		if (*at(p->l, row * p->row_step + s * p->split_step) > 0)
			continue;
		for (size_t j = 0; j < p->d; j++)
			*at(p->values, (row * p->splits + s) * p->d + j) = used == p->splits ? 0
				: *at(p->values, (row * p->splits + used) * p->d + j);
	}
}

enum status generate_partials(struct lab_case *c)
{
	struct partials p;
	int64_t split_major;

	TRY(generator_array(c, "part_o", &p.o));
	TRY(generator_array(c, "part_m", &p.m));
	TRY(generator_array(c, "part_l", &p.l));
	TRY(generator_array(c, "values", &p.values));
	TRY(generator_size(c, "split_major", &split_major));
	p.rows = (size_t)p.values->shape[0];
	p.splits = (size_t)p.values->shape[1];
	p.d = (size_t)p.values->shape[2];
	p.pitch = p.o->count / p.m->count;
	p.row_step = split_major ? 1 : p.splits;
	p.split_step = split_major ? p.rows : 1;
	for (size_t row = 0; row < p.rows; row++) {
		for (size_t s = 0; s < p.splits; s++)
			make_partial(&p, row, s);
		fill_empty(&p, row);
	}
	return STATUS_OK;
}
