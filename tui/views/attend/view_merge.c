/* view_merge.c - one row of a reduction, recomputed from its partials; see view_merge.h.
 *
 * Shows the output of every run and a float64 result: computed from the keys, or from the partials
 * if scores were not recorded. view_merge_steps.c draws the merge, view_whatif.c other orders.
 */
#include "tui/views/attend/view_merge.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_digits.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define CHUNKS 4096                     /* of which accumulators are read */
#define ELEMENTS 4                      /* shown of the output */

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

enum { CHUNK, KEY_BEGIN, KEY_END, MAX, SUM, ACC, ACC_OFFSET };

static enum status take_partial(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	struct view_merge *m = state;
	struct view_partial *p;

	if (m->count == CHUNKS) {
		m->more++;
		return STATUS_OK;
	}
	if (m->count == m->capacity) {
		m->capacity = m->capacity ? 2 * m->capacity : 16;
		m->partials = xreallocarray(m->partials, (size_t)m->capacity, sizeof *m->partials);
		m->acc = xreallocarray(m->acc, (size_t)(m->capacity * m->d), sizeof *m->acc);
	}
	p = &m->partials[m->count];
	*p = (struct view_partial){
		.chunk = view_int(row, CHUNK), .key_begin = view_int(row, KEY_BEGIN),
		.key_end = view_int(row, KEY_END), .max = view_f32(row, MAX),
		.sum = view_f32(row, SUM), .point = -1,
	};
	if (p->max > m->max)
		m->max = p->max;
	return read_floats(c, row, ACC, view_int(row, ACC_OFFSET), m->d,
			   m->acc + m->count++ * m->d);
}

static enum status read_partials(const struct view_context *c, struct view_merge *m)
{
	m->max = -INFINITY;
	TRY(VIEW_ROWS(c, take_partial, m,
		      "SELECT chunk, key_begin, key_end, max_bits, sum_bits, acc_data, acc_offset"
		      " FROM v_partial"
		      " WHERE run = ?1 AND slot = ?3 AND head = ?4 AND NOT empty AND launch ="
		      "  (SELECT launch FROM v_partial WHERE run = ?1 AND launch <= ?2"
		      "   ORDER BY launch DESC LIMIT 1) ORDER BY chunk", c->run,
		      m->shape->place.launch, m->slot, m->head));
	for (int64_t i = 0; i < m->count; i++)
		m->partials[i].acc = m->acc + i * m->d;
	return STATUS_OK;
}

static double factor_of(const struct view_merge *m, const struct view_partial *p)
{
	return p->max == m->max ? 1.0 : exp((double)p->max - m->max);
}

static void compute(struct view_merge *m)
{
	double total = 0.0;

	for (int64_t d = 0; d < m->d; d++)
		m->exact[d] = 0.0;
	for (int64_t i = 0; i < m->count; i++) {
		const struct view_partial *p = &m->partials[i];
		double factor = factor_of(m, p);

		total += factor * p->sum;
		for (int64_t d = 0; d < m->d; d++)
			m->exact[d] += factor * p->acc[d];
	}
	for (int64_t d = 0; d < m->d; d++)
		m->exact[d] = total == 0.0 ? 0.0 : m->exact[d] / total;
	for (int64_t i = 0; i < m->count; i++)
		m->partials[i].share = total == 0.0 ? 0.0 : factor_of(m, &m->partials[i])
			* m->partials[i].sum / total;
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
	int64_t at = (m->slot * m->shape->heads + m->head) * m->d * (int64_t)sizeof(float)
		- view_int(row, OUT_OFFSET);

	o->found = !view_null(row, OUT_DATA);
	return read_floats(c, row, OUT_DATA, at, m->d, o->values);
}

/* How many elements of an output fit on a line. */
static int elements(const struct view_context *c)
{
	return view_narrow(c) ? ELEMENTS - 1 : ELEMENTS;
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
	view_cell cell, first;

	if (!m->out) {
		m->out = xreallocarray(NULL, (size_t)m->d, sizeof *m->out);
		memcpy(m->out, values, bytes);
	}
	m->off |= off;
	m->differs |= differs;
	view_styled(c, off ? STYLE_WRONG : STYLE_PLAIN, " %c", off ? '!' : ' ');
	view_styled(c, differs ? STYLE_DIFFERS : STYLE_PLAIN, "%c", differs ? 'd' : ' ');
	view_print(c, " %-16.16s", name);
	for (int64_t d = 0; d < m->d && d < elements(c); d++) {
		view_print(c, " ");
		view_digits(c, 12, view_float_cell(c, values[d], cell),
			    view_float_cell(c, m->out[d], first));
	}
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
		" AND iif(?3, d.buffer = (SELECT a.buffer FROM v_arg a WHERE a.run = ?1"
		"  AND a.op = l.op AND a.name = 'out'), d.entry = 0)", c->run,
		m->shape->place.launch, m->shape->merges);

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

/* What a last block or a cluster writes, computed in its order and with its bits, as a trace may
 * lack it. */
static void draw_computed(const struct view_context *c, struct view_merge *m)
{
	float *out = xcalloc((size_t)m->d, sizeof *out);

	for (int64_t d = 0; d < m->d; d++) {
		float acc = 0.0f, sum = m->partials[m->count - 1].sum_so_far;

		for (int64_t i = 0; i < m->count; i++)
			acc = fmaf(m->partials[i].factor, m->partials[i].acc[d], acc);
		out[d] = sum == 0.0f ? 0.0f : acc / sum;
	}
	print_values(c, m, "from partials", out);
	free(out);
}

static enum status draw_outputs(const struct view_context *c, struct view_merge *m)
{
	struct view_context second;
	bool found;

	view_styled(c, STYLE_HEADING, "\n out[0..%d] of this row%s\n", elements(c) - 1,
		    m->merged < m->count ? ", after the last chunk" : "");
	if (m->block < 0 && m->more == 0)
		draw_computed(c, m);
	TRY(draw_runs(c, m));
	TRY(view_second(c, &second, &found));
	if (c->other && found) {
		view_styled(c, STYLE_HEADING, " the same in %s\n", store_path(c->other));
		TRY(draw_runs(&second, m));
	}
	view_print(c, "    %-16s", "f64");
	for (int64_t d = 0; d < m->d && d < elements(c); d++)
		view_print(c, " %12.9g", m->exact[d]);
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
	compute(m);
	TRY(view_whatif_read(c, m));
	TRY(view_merge_steps(c, m));
	TRY(draw_outputs(c, m));
	if (c->what_if || c->all)
		view_whatif_draw(c, m);
	else if (c->output != OUTPUT_PAGE)
		view_styled(c, STYLE_NOTE, " the same merge in other orders: %s\n",
			    c->output == OUTPUT_VIEWER ? "W" : "--all");
	return STATUS_OK;
}

enum status view_merge_draw(const struct view_context *c, const struct view_shape *shape)
{
	struct view_spot at = view_shape_spot(c, shape);
	struct view_merge m = { .shape = shape, .head = at.head, .slot = at.slot, .d = shape->d,
				.block = shape->merges ? -1 : c->at.block };
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
