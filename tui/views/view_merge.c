/* view_merge.c - one row of a reduction, recomputed from its partials; see view_merge.h.
 *
 * Shows the kernel's own weights and sums if they were published at points, the output of every
 * run, and a float64 result: computed from the keys, or from the partials if scores were not
 * recorded. view_whatif.c merges in other orders.
 */
#include "tui/views/view_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define CHUNKS 4096                     /* more would not be drawn anyway */
#define DRAWN 24
#define ELEMENTS 5                      /* shown of the output */

/* --- reading --- */

/* Copies d floats out of stored bytes; NaN for those not stored. */
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
	struct view_merge *m = state;
	struct view_partial *p;

	if (m->count == CHUNKS)
		return STATUS_OK;
	if (m->count == m->capacity) {
		m->capacity = m->capacity ? 2 * m->capacity : 16;
		m->partials = xreallocarray(m->partials, (size_t)m->capacity, sizeof *m->partials);
		m->acc = xreallocarray(m->acc, (size_t)(m->capacity * m->d), sizeof *m->acc);
	}
	p = &m->partials[m->count];
	*p = (struct view_partial){ .chunk = view_int(row, CHUNK), .max = view_f32(row, MAX),
				    .sum = view_f32(row, SUM) };
	if (p->max > m->max)
		m->max = p->max;
	return read_floats(c, row, ACC, view_int(row, ACC_OFFSET), m->d,
			   m->acc + m->count++ * m->d);
}

static enum status read_partials(const struct view_context *c, struct view_merge *m)
{
	m->max = -INFINITY;
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

static void compute(struct view_merge *m)
{
	double sum = 0.0;

	for (int64_t d = 0; d < m->d; d++)
		m->exact[d] = 0.0;
	for (int64_t i = 0; i < m->count; i++) {
		const struct view_partial *p = &m->partials[i];
		double weight = p->max == m->max ? 1.0 : exp((double)p->max - m->max);

		sum += weight * p->sum;
		for (int64_t d = 0; d < m->d; d++)
			m->exact[d] += weight * p->acc[d];
	}
	for (int64_t d = 0; d < m->d; d++)
		m->exact[d] = sum == 0.0 ? 0.0 : m->exact[d] / sum;
}

/* --- the merge as the kernel did it --- */

enum { POINT_WEIGHT, POINT_SUM, POINT_ACC };

static enum status take_point(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_merge *m = state;
	struct view_partial *p = &m->partials[m->points];

	(void)c;
	if (m->points == m->count)
		return STATUS_OK;
	p->weight = view_f32(row, POINT_WEIGHT);
	p->sum_so_far = view_f32(row, POINT_SUM);
	p->acc0_so_far = view_f32(row, POINT_ACC);
	m->points++;
	return STATUS_OK;
}

/* Lane 0 of the block passes one point per chunk, in chunk order. */
static enum status read_points(const struct view_context *c, struct view_merge *m)
{
	return VIEW_ROWS(c, take_point, m,
			 "SELECT v0_bits, v1_bits, v2_bits FROM w_point WHERE run = ?1"
			 " AND launch = ?2 AND thread = ?3 AND name = 'reduce' ORDER BY sequence",
			 c->run, m->place->launch, m->block * view_place_threads(m->place));
}

static void draw_chunk(const struct view_context *c, const struct view_merge *m, int64_t i)
{
	const struct view_partial *p = &m->partials[i];
	view_cell max, sum, weight, so_far, acc;

	if (i == 0)
		view_row_of(c, m->place->launch, m->block);
	view_print(c, " %5" PRId64 " %11s %11s %11s ", p->chunk, view_float_cell(c, p->max, max),
		   view_float_cell(c, p->sum, sum), view_float_cell(c, p->weight, weight));
	view_styled(c, STYLE_CHART, i + 1 < m->count ? "--+" : "--+-");
	view_print(c, "%*s %11s", i + 1 < m->count, "", view_float_cell(c, p->sum_so_far, so_far));
	if (m->points)
		view_print(c, " %12s", view_float_cell(c, p->acc0_so_far, acc));
	view_print(c, "\n");
}

/* Computes the steps, rounded to f32, if the kernel did not publish all of them. */
static void compute_steps(struct view_merge *m)
{
	double sum = 0.0;

	for (int64_t i = 0; i < m->count; i++) {
		struct view_partial *p = &m->partials[i];
		double weight = p->max == m->max ? 1.0 : exp((double)p->max - m->max);

		sum += weight * p->sum;
		p->weight = (float)weight;
		p->sum_so_far = (float)sum;
	}
}

static void draw_steps(const struct view_context *c, struct view_merge *m)
{
	bool kernel = m->points == m->count;

	if (!kernel) {
		compute_steps(m);
		m->points = 0;
	}
	view_styled(c, STYLE_HEADING, "\n as executed, against max %.7g; weights and sums are"
		    " %s\n", m->max,
		    kernel ? "the kernel's" : "recomputed");
	view_styled(c, STYLE_HEADING, " chunk %11s %11s %11s      %11s%s\n", "max", "sum",
		    "weight", "sum so far", kernel ? "       acc[0]" : "");
	for (int64_t i = 0; i < m->count && view_fits(c, i, DRAWN); i++)
		draw_chunk(c, m, i);
	view_more(c, m->count, DRAWN);
	view_styled(c, STYLE_NOTE, " out = acc / sum. Shared memory of the block is %s\n",
		    kernel ? "recorded only at these points" : "not recorded");
}

/* --- outputs --- */

struct output {
	const struct view_merge *merge;
	float *values;                  /* [d] */
	bool found;
};

enum { OUT_OFFSET, OUT_DATA };

static enum status take_output(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct output *o = state;
	const struct view_merge *m = o->merge;
	int64_t at = m->block * m->d * (int64_t)sizeof(float) - view_int(row, OUT_OFFSET);

	o->found = !view_null(row, OUT_DATA);
	return read_floats(c, row, OUT_DATA, at, m->d, o->values);
}

/* Elements of the row that are far from float64. */
static int64_t count_off(const struct view_merge *m, const float *values)
{
	int64_t off = 0;

	for (int64_t d = 0; d < m->d; d++)
		off += !(fabs(values[d] - m->exact[d]) <= 1e-5 * (1.0 + fabs(m->exact[d])));
	return off;
}

/* Prints one run's output. The first one printed is the reference for the others. */
static void print_values(const struct view_context *c, struct view_merge *m, const char *name,
			 const float *values)
{
	size_t bytes = (size_t)m->d * sizeof *values;
	bool off = count_off(m, values) > 0, differs = m->out && memcmp(m->out, values, bytes);
	view_cell cell;

	if (!m->out) {
		m->out = xreallocarray(NULL, (size_t)m->d, sizeof *m->out);
		memcpy(m->out, values, bytes);
	}
	m->off |= off;
	m->differs |= differs;
	view_styled(c, off || differs ? STYLE_WRONG : STYLE_PLAIN, " %c%c %-16.16s",
		    off ? '!' : ' ', differs ? 'd' : ' ', name);
	for (int64_t d = 0; d < m->d && d < ELEMENTS; d++)
		view_print(c, " %11s", view_float_cell(c, values[d], cell));
	view_print(c, "\n");
}

/* Draws the output of this launch in one run. */
static enum status draw_output(const struct view_context *c, struct view_merge *m,
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
		view_print(c, "    %-16.16s bytes not recorded\n", name);
	free(o.values);
	return status;
}

enum { RUN, DEVICE, SEED };

/* "GPU r1", "SIM r2 seed 7". */
static enum status draw_run(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	bool gpu = strcmp(view_text(row, DEVICE), "cuda") == 0;
	struct view_context run = *c;
	view_cell name;

	run.run = view_int(row, RUN);
	snprintf(name, sizeof name, gpu ? "GPU r%" PRId64 : "SIM r%" PRId64 " seed %" PRId64,
		 run.run, view_int(row, SEED));
	return draw_output(&run, state, name);
}

static enum status draw_runs(const struct view_context *c, struct view_merge *m)
{
	return VIEW_ROWS(c, draw_run, m, "SELECT run, device, seed FROM v_run"
			 " ORDER BY run <> ?1, run LIMIT 4", c->run);
}

static enum status draw_outputs(const struct view_context *c, struct view_merge *m)
{
	struct view_context second;
	bool found;

	view_styled(c, STYLE_HEADING, "\n out[0..%d] of this row\n", ELEMENTS - 1);
	TRY(draw_runs(c, m));
	TRY(view_second(c, &second, &found));
	if (c->other && found) {
		view_styled(c, STYLE_HEADING, " the same in %s\n", store_path(c->other));
		TRY(draw_runs(&second, m));
	}
	view_print(c, "    %-16s", "f64");
	for (int64_t d = 0; d < m->d && d < ELEMENTS; d++)
		view_print(c, " %11.7g", m->exact[d]);
	view_print(c, "\n");
	if (m->differs || m->off)
		view_styled(c, STYLE_NOTE, " %s%s\n", m->differs
			    ? "d other bits than the first row  " : "",
			    m->off ? "! more than 1e-5 off float64" : "");
	return STATUS_OK;
}

static enum status draw_row(const struct view_context *c, struct view_merge *m)
{
	TRY(read_partials(c, m));
	if (m->count == 0) {
		view_print(c, "\n slot %" PRId64 " head %" PRId64
			   ": no chunk holds keys, the row is zeros\n", m->slot, m->head);
		return STATUS_OK;
	}
	TRY(read_points(c, m));
	compute(m);
	TRY(view_whatif_read(c, m));
	draw_steps(c, m);
	TRY(draw_outputs(c, m));
	view_whatif_draw(c, m);
	return STATUS_OK;
}

enum status view_merge_draw(const struct view_context *c, const struct view_place *place,
			    int64_t block, int64_t d)
{
	int64_t heads = place->grid[0] > 0 ? place->grid[0] : 1;
	struct view_merge m = { .place = place, .block = block, .head = block % heads,
				.slot = block / heads, .d = d };
	enum status status;

	m.exact = xcalloc((size_t)m.d, sizeof *m.exact);
	status = draw_row(c, &m);
	free(m.exact);
	free(m.partials);
	free(m.acc);
	free(m.out);
	free(m.one_split);
	return status;
}
