/* view_merge_steps.c - the merge of one row, chunk by chunk; see view_merge.h.
 *
 * If the kernel published its factors and sums at points, these are shown, each row is the row of
 * its point, and the merge is drawn up to the point of the address. Otherwise they are recomputed.
 */
#include "tui/views/attend/view_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_exp.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

/* --- what the kernel published --- */

enum { SEQUENCE, POINT_FACTOR, POINT_SUM, POINT_ACC };

static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_merge *m = state;
	struct view_partial *p = &m->partials[m->points];

	(void)c;
	if (m->points == m->count)
		return STATUS_OK;
	p->point = view_int(row, SEQUENCE);
	p->factor = view_f32(row, POINT_FACTOR);
	p->sum_so_far = view_f32(row, POINT_SUM);
	p->acc0_so_far = view_f32(row, POINT_ACC);
	m->points++;
	return STATUS_OK;
}

/* Lane 0 of the block passes one point per chunk, in chunk order; not that of a launch whose blocks
 * merge too. */
static enum status read_points(const struct view_context *c, struct view_merge *m)
{
	if (m->block < 0)
		return STATUS_OK;
	return VIEW_ROWS(c, take_point, m,
			 "SELECT sequence, v0_bits, v1_bits, v2_bits FROM w_point WHERE run = ?1"
			 " AND launch = ?2 AND thread = ?3 AND name = 'reduce' ORDER BY sequence",
			 c->run, m->shape->place.launch,
			 view_place_thread(&m->shape->place, m->block, 0));
}

/* Computes the steps in the kernel's order and with its bits. Their points would be numbered from
 * 0. */
static void compute_steps(struct view_merge *m)
{
	float sum = 0.0f, acc0 = 0.0f;

	m->points = 0;
	for (int64_t i = 0; i < m->count; i++) {
		struct view_partial *p = &m->partials[i];

		p->factor = view_factor(p->max, m->max);
		p->sum_so_far = sum = fmaf(p->factor, p->sum, sum);
		p->acc0_so_far = acc0 = fmaf(p->factor, p->acc[0], acc0);
		p->point = i;
	}
}

/* How many chunks have been merged once the thread of the address has passed its point. */
static int64_t count_merged(const struct view_context *c, const struct view_merge *m)
{
	int64_t merged = 0;

	if (c->at.point < 0 || c->at.warp > 0 || c->at.lane > 0 || m->block < 0)
		return m->count;
	while (merged < m->count && m->partials[merged].point <= c->at.point)
		merged++;
	return merged;
}

/* --- the table --- */

enum { CHUNK, KEYS, MAX, SUM, FACTOR, SHARE, COLUMNS };
enum { SO_FAR, ACC, RESULTS };

#define WIDE 100                        /* columns with space for acc[0] */

struct table {
	const struct view_context *c;
	const struct view_merge *m;
	int keys, bar;                  /* widths; bar 0: none */
	int max_digits, sum_digits, so_far_digits;
	bool *shown;                    /* [count] */
};

/* Rounded numbers leave space for keys and bars; of all digits, and where the output is wide,
 * accumulators are shown too. */
static void make_columns(const struct table *t, struct view_column columns[COLUMNS])
{
	const struct view_context *c = t->c;
	bool bits = c->looks.number == NUMBER_BITS, rounded = c->looks.number == NUMBER_DEC;
	const struct view_column made[COLUMNS] = {
		[CHUNK] = { "chunk", "", 5 }, [KEYS] = { "keys", "", rounded ? -t->keys : 0 },
		[MAX] = { "max", "", bits ? 0 : view_number_width(c, 8) },
		[SUM] = { "sum", "", bits ? 0 : view_number_width(c, 8) },
		[FACTOR] = { "factor", "", view_number_width(c, 8) },
		[SHARE] = { "share", "", VIEW_SHARE_WIDTH },
	};

	memcpy(columns, made, sizeof made);
	if (rounded && view_narrow(c))
		columns[MAX].width = columns[SUM].width = 7;
}

static void make_results(const struct table *t, struct view_column results[RESULTS])
{
	enum view_number number = t->c->looks.number;
	bool wide = number != NUMBER_DEC || t->c->columns >= WIDE;
	bool acc = t->m->has_acc0 && wide && number != NUMBER_BITS;
	const struct view_column made[RESULTS] = {
		[SO_FAR] = { view_narrow(t->c) ? "so far" : "sum so far", "",
			     view_number_width(t->c, 8) },
		[ACC] = { number == NUMBER_DEC ? "acc[0] so far" : "acc[0]", "",
			  acc ? view_number_width(t->c, 14) : 0 },
	};

	memcpy(results, made, sizeof made);
	if (results[SO_FAR].width < 10 && !view_narrow(t->c))
		results[SO_FAR].width = 10;
}

/* Measures the rows that are shown. */
static void measure(struct table *t)
{
	struct view_column columns[COLUMNS], results[RESULTS];
	double max = 0.0, sum = 0.0, so_far = 0.0;

	t->keys = 6;
	for (int64_t i = 0; i < t->m->count; i++) {
		const struct view_partial *p = &t->m->partials[i];
		int keys = snprintf(NULL, 0, "%" PRId64 "..%" PRId64, p->key_begin,
				    p->key_end - 1);

		if (!t->shown[i])
			continue;
		t->keys = keys > t->keys ? keys : t->keys;
		max = isinf(p->max) ? max : fmax(max, fabs((double)p->max));
		sum = isinf(p->sum) ? sum : fmax(sum, fabs((double)p->sum));
		so_far = isinf(p->sum_so_far) ? so_far : fmax(so_far, (double)p->sum_so_far);
	}
	t->max_digits = view_decimals(max, 4);
	t->sum_digits = view_decimals(sum, 4);
	t->so_far_digits = view_decimals(so_far, 6);
	make_columns(t, columns);
	make_results(t, results);
	t->bar = t->c->looks.number != NUMBER_DEC ? 0
		: view_bar_width(t->c, view_columns_width(columns, COLUMNS)
				 + view_columns_width(results, RESULTS) + 4);
}

static void draw_heading(const struct table *t)
{
	struct view_column columns[COLUMNS], results[RESULTS];

	make_columns(t, columns);
	make_results(t, results);
	view_columns(t->c, columns, COLUMNS, true);
	view_styled(t->c, STYLE_HEADING, "%*s", t->bar ? -(t->bar + 7) : -4,
		    t->bar ? "  " VIEW_SHARE_OF : "");
	view_columns(t->c, results, RESULTS, true);
	view_print(t->c, "\n");
}

/* The line of the merge: it has reached row i, ends there, or not yet begun. */
static void draw_line(const struct table *t, double share, int64_t i)
{
	int blanks = t->bar ? view_share_bar(t->c, share, t->bar) : 0;

	if (i >= t->m->merged)
		return;
	view_print(t->c, "%*s", blanks, "");
	view_styled(t->c, STYLE_CHART, i + 1 == t->m->merged ? " -+-" : " -+ ");
}

static void anchor(const struct table *t, const struct view_partial *p)
{
	struct address at = address_none;

	at.run = t->c->run > 1 ? t->c->run : -1;
	at.launch = t->m->shape->place.launch;
	at.block = t->m->block;
	at.warp = at.lane = 0;
	at.point = p->point;
	display_anchor(t->c->out, &at);
}

static void draw_chunk(const struct table *t, int64_t i)
{
	const struct view_partial *p = &t->m->partials[i];
	struct view_column columns[COLUMNS], results[RESULTS];
	view_cell chunk, keys, max, sum, factor, share, so_far, acc;
	const struct view_context *c = t->c;

	if (t->m->points)
		anchor(t, p);
	else if (t->m->block < 0)
		view_shape_anchor(c, t->m->shape, t->m->slot, t->m->head, p->chunk);
	make_columns(t, columns);
	snprintf(chunk, sizeof chunk, "%" PRId64, p->chunk);
	snprintf(keys, sizeof keys, "%" PRId64 "..%" PRId64, p->key_begin, p->key_end - 1);
	columns[CHUNK].text = chunk;
	columns[KEYS].text = keys;
	columns[MAX].text = view_number_cell(c, p->max, t->max_digits, max);
	columns[SUM].text = view_number_cell(c, p->sum, t->sum_digits, sum);
	columns[FACTOR].text = view_number_cell(c, p->factor, 6, factor);
	columns[SHARE].text = view_share_cell(p->share, share);
	view_columns(c, columns, COLUMNS, false);
	draw_line(t, p->share, i);
	make_results(t, results);
	results[SO_FAR].text = view_number_cell(c, p->sum_so_far, t->so_far_digits, so_far);
	results[ACC].text = view_number_cell(c, p->acc0_so_far, 6, acc);
	if (i < t->m->merged)
		view_columns(c, results, RESULTS, false);
	view_print(c, "\n");
}

/* A line for the chunks first <= i < past, which are left out. */
static void draw_gap(const struct table *t, int64_t first, int64_t past)
{
	struct view_column columns[COLUMNS];
	view_cell text, share;
	double sum = 0.0;
	int before;

	for (int64_t i = first; i < past; i++)
		sum += t->m->partials[i].share;
	make_columns(t, columns);
	before = view_columns_width(columns, COLUMNS) - VIEW_SHARE_WIDTH - 1;
	snprintf(text, sizeof text, "... %" PRId64 " chunk%s", past - first,
		 view_plural(past - first));
	view_print(t->c, "  %-*s %*s", before - 2, text, VIEW_SHARE_WIDTH,
		   view_share_cell(sum, share));
	draw_line(t, sum, past - 1);
	view_print(t->c, "\n");
}

static void draw_rows(const struct table *t)
{
	int64_t count = t->m->count;

	for (int64_t i = 0; i < count; i++) {
		int64_t first = i;

		while (i < count && !t->shown[i])
			i++;
		if (i > first)
			draw_gap(t, first, i);
		if (i < count)
			draw_chunk(t, i);
	}
}

/* --- all of it --- */

static void draw_title(const struct view_context *c, const struct view_merge *m)
{
	struct view_context decimal = *c;
	view_cell max;

	/* Bits would not fit. */
	decimal.looks.number = NUMBER_DEC;
	if (m->block >= 0)
		view_shape_anchor(c, m->shape, m->slot, m->head, 0);
	view_print(c, " slot %" PRId64 " head %" PRId64 ": ", m->slot, m->head);
	if (m->merged < m->count)
		view_styled(c, STYLE_NEW, "%" PRId64 " of ", m->merged);
	view_print(c, "%" PRId64 " chunk%s merged%s, relative to g = %s%s\n", m->count,
		   view_plural(m->count), m->merged < m->count ? " so far" : "",
		   view_float_cell(&decimal, m->max, max),
		   view_narrow(c) ? "" : ", the maximum of all");
}

static void choose(const struct view_context *c, const struct view_merge *m, bool *shown)
{
	double *share = xcalloc((size_t)m->count, sizeof *share);

	for (int64_t i = 0; i < m->count; i++)
		share[i] = m->partials[i].share;
	view_choose(share, m->count, c->at.point < 0 ? -1 : m->merged - 1, c->all, shown);
	free(share);
}

enum status view_merge_steps(const struct view_context *c, struct view_merge *m)
{
	bool rounded = c->looks.number == NUMBER_DEC;
	char whose[48] = "recomputed";
	struct table t = { .c = c, .m = m };

	TRY(read_points(c, m));
	if (m->points < m->count)
		compute_steps(m);
	m->has_acc0 = m->points > 0
		|| (m->block < 0 && !isnan(m->partials[m->count - 1].acc0_so_far));
	m->merged = count_merged(c, m);
	t.shown = xcalloc((size_t)m->count, sizeof *t.shown);
	choose(c, m, t.shown);
	measure(&t);
	draw_title(c, m);
	draw_heading(&t);
	draw_rows(&t);
	free(t.shown);
	if (m->more)
		view_styled(c, STYLE_WRONG, "  ... %" PRId64 " more chunk%s not read: shares"
			    " and float64 are of those above\n", m->more, view_plural(m->more));
	if (m->points)
		snprintf(whose, sizeof whose, "the kernel's");
	else if (m->block < 0)
		snprintf(whose, sizeof whose, "the %s's, recomputed", view_shape_merger(m->shape));
	view_styled(c, STYLE_NOTE, " factor = exp(max - g), share = factor x sum / last sum,"
		    " out = acc / last sum\n factors and sums are %s%s\n", whose,
		    rounded ? ", rounded: x or --number full shows all digits" : "");
	return STATUS_OK;
}
