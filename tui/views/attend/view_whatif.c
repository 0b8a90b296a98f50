/* view_whatif.c - one row of a reduction merged in other orders; see view_merge.h.
 *
 * Computed from recorded bits with the C library's exp rounded to f32, not a device's; the screen
 * says so. Used by view_merge.c.
 */
#include "tui/views/attend/view_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_place.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"
#include "tui/views/view_scores.h"

#define KEYS 512                        /* max number per block whose V rows are read */
#define BLOCKS 64

/* --- without a merge --- */

/* All keys of the row, in the order in which the blocks of its chunks processed them. */
struct all_keys {
	struct view_scores blocks[BLOCKS];
	int count;
	int64_t keys;
	bool known;                     /* scores and V rows of all keys */
};

static enum status read_block(const struct view_context *c, struct all_keys *all,
			      struct view_scores *k)
{
	int64_t begin = k->begin, end = k->end;

	TRY(view_scores_read(c, k));
	TRY(view_scores_values(c, k, KEYS));
	all->keys += end - begin;
	all->known &= k->score && k->value;
	return STATUS_OK;
}

struct finding {
	struct all_keys *all;
	const struct view_shape *shape;
	const struct view_merge *merge;
};

enum { CHUNK, BEGIN, END };

static enum status take_chunk(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	const struct finding *f = state;
	const struct view_merge *m = f->merge;
	struct view_scores *k = &f->all->blocks[f->all->count];

	if (!f->all->known || f->all->count == BLOCKS || f->all->keys >= KEYS) {
		f->all->known = false;
		return STATUS_OK;
	}
	view_scores_place(k, f->shape, m->slot, m->head, view_int(row, CHUNK));
	k->begin = view_int(row, BEGIN);
	k->end = view_int(row, END);
	f->all->known = k->block >= 0;
	f->all->count += f->all->known;
	return f->all->known ? read_block(c, f->all, k) : STATUS_OK;
}

/* The partials were written by the last launch with partials before the reduction. */
static enum status read_all(const struct view_context *c, const struct view_merge *m,
			    struct view_shape *shape, struct all_keys *all)
{
	struct finding f = { all, shape, m };
	struct view_context there = *c;
	struct view_place place;
	bool found;

	there.at = address_none;
	TRY(VIEW_NUMBER(c, -1, &there.at.launch, "SELECT launch FROM v_partial WHERE run = ?1"
			" AND launch <= ?2 ORDER BY launch DESC LIMIT 1", c->run,
			m->shape->place.launch));
	TRY(view_place_find(&there, "v_partial", &place, &found));
	all->known = found;
	if (!found)
		return STATUS_OK;
	TRY(view_shape_read(c, &place, shape));
	return VIEW_ROWS(c, take_chunk, &f, "SELECT chunk, key_begin, key_end FROM v_partial"
			 " WHERE run = ?1 AND launch = ?2 AND slot = ?3 AND head = ?4 AND NOT empty"
			 " ORDER BY chunk", c->run, place.launch, m->slot, m->head);
}

/* The row over all keys, in float64, and in f32 with one running sum. */
static void compute(struct view_merge *m, const struct all_keys *all)
{
	double exact_sum = 0.0;
	float sum = 0.0f;

	m->from_keys = true;
	m->one_split = xcalloc((size_t)m->d, sizeof *m->one_split);
	memset(m->exact, 0, (size_t)m->d * sizeof *m->exact);
	for (int b = 0; b < all->count; b++) {
		const struct view_scores *k = &all->blocks[b];

		for (int64_t i = 0; i < k->end - k->begin; i++) {
			double term = exp((double)k->score[i] - m->max);
			const float *v = k->value + i * k->d;

			exact_sum += term;
			sum += (float)term;
			for (int64_t d = 0; d < m->d; d++) {
				m->exact[d] += term * v[d];
				m->one_split[d] = fmaf((float)term, v[d], m->one_split[d]);
			}
		}
	}
	for (int64_t d = 0; d < m->d; d++) {
		m->exact[d] /= exact_sum;
		m->one_split[d] /= sum;
	}
}

enum status view_whatif_read(const struct view_context *c, struct view_merge *m)
{
	struct all_keys *all = xcalloc(1, sizeof *all);
	struct view_shape shape = { .unit_count = 0 };
	enum status status = read_all(c, m, &shape, all);

	if (status == STATUS_OK && all->known && all->count > 0 && all->blocks[0].d == m->d
	    && isfinite(m->max))
		compute(m, all);
	for (int b = 0; b < all->count; b++)
		view_scores_free(&all->blocks[b]);
	view_shape_free(&shape);
	free(all);
	return status;
}

/* --- other orders --- */

struct sum {
	float max, sum;
	float *acc;
};

/* Merges b into a, as the reduction merges partials. */
static void merge_two(struct sum *a, const struct sum *b, int64_t d)
{
	float max = a->max > b->max ? a->max : b->max;
	float wa = a->max == max ? 1.0f : (float)exp((double)a->max - max);
	float wb = b->max == max ? 1.0f : (float)exp((double)b->max - max);

	a->sum = fmaf(wb, b->sum, wa * a->sum);
	for (int64_t i = 0; i < d; i++)
		a->acc[i] = fmaf(wb, b->acc[i], wa * a->acc[i]);
	a->max = max;
}

static void print_distance(const struct view_context *c, const struct view_merge *m,
			   const char *name, const float *row, float sum)
{
	enum view_distance distance = c->looks.distance;
	double most = 0.0, far = 0.0;
	char text[VIEW_FORMAT_NUMBER];

	for (int64_t d = 0; d < m->d; d++) {
		float value = row[d] / sum;

		most = fmax(most, view_format_measure(distance, value, (float)m->exact[d]));
		far = fmax(far, fabs(value - m->exact[d]));
	}
	view_format_measured(distance, most, text);
	view_print(c, "  %-34s %8s %12.2g\n", name, text, far);
}

static struct sum *copy_sums(const struct view_merge *m, float *acc, bool reversed)
{
	struct sum *sums = xreallocarray(NULL, (size_t)m->count, sizeof *sums);

	memcpy(acc, m->acc, (size_t)(m->count * m->d) * sizeof *acc);
	for (int64_t i = 0; i < m->count; i++) {
		int64_t from = reversed ? m->count - 1 - i : i;

		sums[i] = (struct sum){ m->partials[from].max, m->partials[from].sum,
					acc + from * m->d };
	}
	return sums;
}

static void draw_order(const struct view_context *c, const struct view_merge *m, const char *name,
		       bool reversed, bool pairs)
{
	float *acc = xreallocarray(NULL, (size_t)(m->count * m->d), sizeof *acc);
	struct sum *sums = copy_sums(m, acc, reversed);

	for (int64_t width = 1; pairs && width < m->count; width *= 2)
		for (int64_t i = 0; i + width < m->count; i += 2 * width)
			merge_two(&sums[i], &sums[i + width], m->d);
	for (int64_t i = 1; !pairs && i < m->count; i++)
		merge_two(&sums[0], &sums[i], m->d);
	print_distance(c, m, name, sums[0].acc, sums[0].sum);
	free(sums);
	free(acc);
}

void view_whatif_draw(const struct view_context *c, const struct view_merge *m)
{
	if (isnan(m->acc[0]))
		return;
	view_styled(c, STYLE_HEADING, "\n %-35s%5s off     distance\n", m->from_keys
		    ? "what if, from float64 over all keys" : "what if, from float64 of partials",
		    view_distance_names[c->looks.distance]);
	if (m->out)
		print_distance(c, m, "as executed (this run)", m->out, 1.0f);
	if (m->count > 1) {
		draw_order(c, m, "two by two, first to last", false, false);
		draw_order(c, m, "two by two, last to first", true, false);
		draw_order(c, m, "as a tree of pairs", false, true);
	}
	if (m->one_split)
		print_distance(c, m, "one split: all keys, no merge", m->one_split, 1.0f);
	view_styled(c, STYLE_NOTE, " computed with the C library's exp, not by the kernel; each"
		    " order rounds differently\n");
}
