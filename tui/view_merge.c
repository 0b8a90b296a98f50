/* view_merge.c - one row of a reduction, from the partials it was given; see view_merge.h.
 *
 * Float64 and the other orders are worked out here, from recorded bits; exponentials of what-ifs
 * are the C library's rounded to f32, which is said to be no device's.
 */
#include "tui/view_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/xalloc.h"

#define CHUNKS 4096                     /* more would not be drawn anyway */
#define DRAWN 24
#define ELEMENTS 6                      /* of the output, shown */
#define D_MOST 4096

struct partial {
	int64_t chunk;
	float max, sum;
	const float *acc;               /* [d] */
};

struct merge {
	const struct view_place *place;
	int64_t slot, head, block, d;
	struct partial *partials;       /* [count] that hold keys */
	float *acc;                     /* [count][d]: what they point into */
	int64_t count, room;
	float greatest;
	double *exact;                  /* [d] in float64 */
};

/* --- reading --- */

/* Copies d floats out of stored bytes; NaN where there are none. */
static enum status read_floats(const struct view_context *c, sqlite3_stmt *row, int data,
			       int64_t offset, int64_t count, float *out)
{
	void *bytes;
	size_t size;

	for (int64_t i = 0; i < count; i++)
		out[i] = NAN;
	if (view_null(row, data))
		return STATUS_OK;
	TRY(store_data(c->store, view_int(row, data), &bytes, &size));
	if (offset >= 0 && offset <= (int64_t)size
	    && count <= ((int64_t)size - offset) / (int64_t)sizeof(float))
		memcpy(out, (const char *)bytes + offset, (size_t)count * sizeof(float));
	free(bytes);
	return STATUS_OK;
}

enum { CHUNK, MAX, SUM, ACC, ACC_OFFSET };

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct merge *m = state;
	struct partial *p;

	if (m->count == CHUNKS)
		return STATUS_OK;
	if (m->count == m->room) {
		m->room = m->room ? 2 * m->room : 16;
		m->partials = xreallocarray(m->partials, (size_t)m->room, sizeof(*m->partials));
		m->acc = xreallocarray(m->acc, (size_t)(m->room * m->d), sizeof(*m->acc));
	}
	p = &m->partials[m->count];
	*p = (struct partial){ view_int(row, CHUNK), view_f32(row, MAX), view_f32(row, SUM), NULL };
	if (p->max > m->greatest)
		m->greatest = p->max;
	return read_floats(c, row, ACC, view_int(row, ACC_OFFSET), m->d,
			   m->acc + m->count++ * m->d);
}

static enum status read_partials(const struct view_context *c, struct merge *m)
{
	m->greatest = -INFINITY;
	TRY(VIEW_ROWS(c, take_partial, m,
		      "SELECT chunk, max_bits, sum_bits, acc_data, acc_offset FROM v_partial"
		      " WHERE run = ?1 AND slot = ?3 AND head = ?4 AND NOT empty AND launch ="
		      "  (SELECT launch FROM v_partial WHERE run = ?1 AND launch <= ?2"
		      "   ORDER BY launch DESC LIMIT 1) ORDER BY chunk", c->run, m->place->launch,
		      m->slot, m->head));
	for (int64_t i = 0; i < m->count; i++)
		m->partials[i].acc = m->acc + i * m->d;
	return STATUS_OK;
}

/* --- the merge as it happened --- */

static void work_out(struct merge *m)
{
	double sum = 0.0;

	for (int64_t d = 0; d < m->d; d++)
		m->exact[d] = 0.0;
	for (int64_t i = 0; i < m->count; i++) {
		const struct partial *p = &m->partials[i];
		double weight = p->max == m->greatest ? 1.0 : exp((double)p->max - m->greatest);

		sum += weight * p->sum;
		for (int64_t d = 0; d < m->d; d++)
			m->exact[d] += weight * p->acc[d];
	}
	for (int64_t d = 0; d < m->d; d++)
		m->exact[d] = sum == 0.0 ? 0.0 : m->exact[d] / sum;
}

static void draw_tree(const struct view_context *c, const struct merge *m)
{
	double sum = 0.0;

	view_styled(c, STYLE_HEADING, "\n chunk            max            sum      weight"
		    "        so far   in chunk order, against max %.7g\n", m->greatest);
	for (int64_t i = 0; i < m->count; i++) {
		const struct partial *p = &m->partials[i];
		double weight = p->max == m->greatest ? 1.0 : exp((double)p->max - m->greatest);

		sum += weight * p->sum;
		if (!view_fits(c, i, DRAWN))
			continue;
		view_print(c, " %5" PRId64 "  %13.7g  %13.7g  %10.6f ", p->chunk, p->max, p->sum,
			   weight);
		view_styled(c, STYLE_CHART, i + 1 < m->count ? "--+" : "--+--");
		view_print(c, i + 1 < m->count ? "  %11.7g\n" : " %11.7g  divides once -> out\n",
			   sum);
	}
	view_more(c, m->count, DRAWN);
}

/* --- outputs --- */

struct output {
	const struct merge *merge;
	float *values;                  /* [d] */
	bool found;
};

enum { OUT_OFFSET, OUT_DATA };

static enum status take_output(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct output *o = state;
	const struct merge *m = o->merge;
	int64_t at = m->block * m->d * (int64_t)sizeof(float) - view_int(row, OUT_OFFSET);

	o->found = !view_null(row, OUT_DATA);
	return read_floats(c, row, OUT_DATA, at, m->d, o->values);
}

static void print_values(const struct view_context *c, const struct merge *m, const char *name,
			 const float *values)
{
	int64_t differ = 0;

	view_print(c, " %-22.22s", name);
	for (int64_t d = 0; d < m->d && d < ELEMENTS; d++)
		view_print(c, " %11.7g", values[d]);
	for (int64_t d = 0; d < m->d; d++)
		differ += !(fabs(values[d] - m->exact[d]) <= 1e-5 * (1.0 + fabs(m->exact[d])));
	if (differ)
		view_styled(c, STYLE_WRONG, "  %" PRId64 " OFF", differ);
	view_print(c, "\n");
}

/* One run's output of this launch. */
static enum status draw_output(const struct view_context *c, const struct merge *m,
			       const char *name)
{
	struct output o = { m, xcalloc((size_t)m->d, sizeof(float)), false };
	enum status status = VIEW_ROWS(
		c, take_output, &o,
		"SELECT d.offset, d.data FROM v_launch l JOIN v_digest d ON d.run = l.run"
		" AND d.op = l.op AND d.after_step = 0 WHERE l.run = ?1 AND l.launch = ?2"
		" AND d.entry = 0", c->run, m->place->launch);

	if (status == STATUS_OK && o.found)
		print_values(c, m, name, o.values);
	else if (status == STATUS_OK)
		view_print(c, " %-22.22s bytes not recorded\n", name);
	free(o.values);
	return status;
}

static enum status draw_run(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_context run = *c;
	view_cell name;

	run.run = view_int(row, 0);
	snprintf(name, sizeof(name), "r%" PRId64 " %.8s seed %" PRId64, run.run, view_text(row, 1),
		 view_int(row, 2));
	return draw_output(&run, state, name);
}

static enum status draw_outputs(const struct view_context *c, struct merge *m)
{
	view_styled(c, STYLE_HEADING, "\n out[0..%d] of this row\n", ELEMENTS - 1);
	TRY(VIEW_ROWS(c, draw_run, m, "SELECT run, device, seed FROM v_run ORDER BY run <> ?1, run"
		      " LIMIT 4", c->run));
	view_print(c, " %-22s", "float64");
	for (int64_t d = 0; d < m->d && d < ELEMENTS; d++)
		view_print(c, " %11.7g", m->exact[d]);
	view_print(c, "\n");
	return STATUS_OK;
}

/* --- other orders --- */

struct sum {
	float max, sum;
	float *acc;
};

/* a = a and b merged, as two partials are. */
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

static void print_distance(const struct view_context *c, const struct merge *m, const char *name,
			   const struct sum *all)
{
	enum view_distance distance = c->looks.distance;
	double most = 0.0, far = 0.0;
	char text[VIEW_LOOKS_NUMBER];

	for (int64_t d = 0; d < m->d; d++) {
		float value = all->acc[d] / all->sum;

		most = fmax(most, view_looks_measure(distance, value, (float)m->exact[d]));
		far = fmax(far, fabs(value - m->exact[d]));
	}
	view_looks_measured(distance, most, text);
	view_print(c, "  %-28s %8s %12.2g\n", name, text, far);
}

static struct sum *copy_sums(const struct merge *m, float *acc, bool reversed)
{
	struct sum *sums = xreallocarray(NULL, (size_t)m->count, sizeof(*sums));

	memcpy(acc, m->acc, (size_t)(m->count * m->d) * sizeof(*acc));
	for (int64_t i = 0; i < m->count; i++) {
		int64_t from = reversed ? m->count - 1 - i : i;

		sums[i] = (struct sum){ m->partials[from].max, m->partials[from].sum,
					acc + from * m->d };
	}
	return sums;
}

static void draw_order(const struct view_context *c, const struct merge *m, const char *name,
		       bool reversed, bool pairs)
{
	float *acc = xreallocarray(NULL, (size_t)(m->count * m->d), sizeof(*acc));
	struct sum *sums = copy_sums(m, acc, reversed);

	for (int64_t width = 1; pairs && width < m->count; width *= 2)
		for (int64_t i = 0; i + width < m->count; i += 2 * width)
			merge_two(&sums[i], &sums[i + width], m->d);
	for (int64_t i = 1; !pairs && i < m->count; i++)
		merge_two(&sums[0], &sums[i], m->d);
	print_distance(c, m, name, &sums[0]);
	free(sums);
	free(acc);
}

static void draw_orders(const struct view_context *c, const struct merge *m)
{
	if (m->count < 2 || isnan(m->acc[0]))
		return;
	view_styled(c, STYLE_HEADING,
		    "\n what if merged two by two, f32      %s off     distance   from float64\n",
		    view_distance_names[c->looks.distance]);
	draw_order(c, m, "first to last", false, false);
	draw_order(c, m, "last to first", true, false);
	draw_order(c, m, "as a tree of pairs", false, true);
	view_styled(c, STYLE_NOTE,
		    " worked out from the partials with the C library's exp, not run\n");
}

static enum status draw_row(const struct view_context *c, struct merge *m)
{
	TRY(read_partials(c, m));
	if (m->count == 0) {
		view_print(c, "\n slot %" PRId64 " head %" PRId64
			   ": no chunk holds keys, the row is zeros\n", m->slot, m->head);
		return STATUS_OK;
	}
	work_out(m);
	draw_tree(c, m);
	TRY(draw_outputs(c, m));
	draw_orders(c, m);
	return STATUS_OK;
}

enum status view_merge_draw(const struct view_context *c, const struct view_place *place,
			    int64_t block)
{
	int64_t heads = place->grid[0] > 0 ? place->grid[0] : 1;
	struct merge m = { .place = place, .block = block, .head = block % heads,
			   .slot = block / heads };
	enum status status;

	TRY(VIEW_NUMBER(c, 0, &m.d, "SELECT value FROM v_arg WHERE run = ?1 AND launch = ?2"
			" AND name = 'D'", c->run, place->launch));
	if (m.d < 1 || m.d > D_MOST)
		return STATUS_OK;
	m.exact = xcalloc((size_t)m.d, sizeof(*m.exact));
	status = draw_row(c, &m);
	free(m.exact);
	free(m.partials);
	free(m.acc);
	return status;
}
