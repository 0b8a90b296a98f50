/* view_element_chart.c - how many elements of an output differ, by how much, and where.
 *
 * Draws counts by class, a histogram of the distances chosen with --distance, and a map of the
 * output with a row for each row of its last dimension. Used by view_element.c.
 */
#include "tui/views/element/view_element_parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tui/views/element/view_element_value.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_print.h"

#define BUCKETS 5
#define BAR 22
#define MAP_ROWS 8
#define MAP_COLUMNS 33

struct histogram {
	int64_t counts[BUCKETS];
	int64_t most;
};

/* The bounds of the first four bins; the last bin has the elements without a distance. */
static const struct {
	double past[3];                 /* upper bounds from the second bin on; the first is 0 */
	const char *names[BUCKETS];
} scales[DISTANCE_COUNT] = {
	[DISTANCE_ULP] = { { 4, 99, INFINITY }, { "0", "1..4", "5..99", "100+", "NaN, inf" } },
	[DISTANCE_ABS] = { { 1e-6, 1e-3, INFINITY },
			   { "0", "to 1e-6", "to 1e-3", "more", "NaN, inf" } },
	[DISTANCE_REL] = { { 1e-6, 1e-3, INFINITY },
			   { "0", "to 1e-6", "to 1e-3", "more", "NaN, inf" } },
};

static int bucket_of(enum view_distance kind, double distance)
{
	int bucket = 0;

	if (isnan(distance))
		return BUCKETS - 1;
	if (distance > 0.0)
		for (bucket = 1; distance > scales[kind].past[bucket - 1]; bucket++)
			;
	return bucket;
}

/* --- the map --- */

struct map {
	int64_t rows, columns, first_row;       /* of the output's written part */
	int64_t rows_a_cell, columns_a_cell;
	enum element_class cells[MAP_ROWS][MAP_COLUMNS];
};

static int64_t divide_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

static void shape_map(const struct element_view *e, struct map *m)
{
	const struct written *w = &e->w[0];
	int64_t first = written_first(w), count = written_count(w);

	*m = (struct map){ .columns = w->rank > 1 ? w->shape[w->rank - 1] : first + count };
	m->first_row = first / m->columns;
	m->rows = (first + count - 1) / m->columns - m->first_row + 1;
	m->rows_a_cell = divide_up(m->rows, MAP_ROWS);
	m->columns_a_cell = divide_up(m->columns, MAP_COLUMNS);
}

static void mark_map(struct map *m, int64_t element, enum element_class class)
{
	enum element_class *cell = &m->cells[(element / m->columns - m->first_row) / m->rows_a_cell]
					    [element % m->columns / m->columns_a_cell];

	if (class > *cell)
		*cell = class;
}

static void print_map_row(const struct view_context *c, const struct map *m, int64_t row)
{
	static const char marks[ELEMENT_CLASSES] = { ' ', '.', ':', '@', 'i', 'n' };
	int64_t cells = divide_up(m->columns, m->columns_a_cell);

	view_print(c, " %4" PRId64 " ", m->first_row + row * m->rows_a_cell);
	for (int64_t i = 0; i < cells; i++) {
		enum element_class class = m->cells[row][i];

		view_styled(c, class > ELEMENT_EQUAL ? STYLE_DIFFERS : STYLE_CHART, "%c",
			    marks[class]);
	}
}

/* --- histogram and map side by side --- */

static void print_bucket(const struct view_context *c, const struct histogram *h, int bucket)
{
	int64_t count = h->counts[bucket];
	int bar = (int)((double)count / (double)h->most * BAR + 0.999);
	int length;

	length = view_print(c, " %9s |", scales[c->looks.distance].names[bucket]);
	for (int i = 0; i < bar; i++)
		view_styled(c, STYLE_CHART, "#");
	length += bar + view_print(c, " %" PRId64, count);
	view_print(c, "%*s", length < 42 ? 42 - length : 0, "");
}

static void print_chart(const struct view_context *c, const struct histogram *h,
			const struct map *m)
{
	int64_t rows = divide_up(m->rows, m->rows_a_cell);
	int buckets = h->counts[BUCKETS - 1] ? BUCKETS : BUCKETS - 1;

	view_styled(c, STYLE_HEADING, "\n %9s  %-30s  map: %" PRId64 " rows x %" PRId64 "\n",
		    view_distance_names[c->looks.distance], "elements", m->rows, m->columns);
	for (int i = 0; i < buckets || i < rows; i++) {
		if (i < buckets)
			print_bucket(c, h, i);
		else
			view_print(c, "%42s", "");
		if (i < rows)
			print_map_row(c, m, i);
		view_print(c, "\n");
	}
	view_styled(c, STYLE_NOTE, " map: . equal, : 1..4 ulp, @ over, i infinite, n NaN on one"
		    " side; the worst of a cell\n");
}

static void print_counts(const struct view_context *c, const struct written *w,
			 const int64_t counts[ELEMENT_CLASSES])
{
	int64_t unknown = counts[ELEMENT_UNKNOWN];

	view_print(c, "\n  %" PRId64 " element%s: equal %" PRId64 "  1..4 ulp %" PRId64 "  ",
		   written_count(w) - unknown, view_plural(written_count(w) - unknown),
		   counts[ELEMENT_EQUAL], counts[ELEMENT_NEAR]);
	view_styled(c, counts[ELEMENT_OVER] ? STYLE_DIFFERS : STYLE_PLAIN, "OVER %" PRId64,
		    counts[ELEMENT_OVER]);
	view_print(c, "  one NaN %" PRId64 "  inf mismatch %" PRId64,
		   counts[ELEMENT_NAN], counts[ELEMENT_INFINITE]);
	if (unknown)
		view_print(c, "  no bytes %" PRId64, unknown);
	view_print(c, "\n");
}

void element_chart_draw(const struct view_context *c, const struct element_view *e)
{
	const struct written *w = &e->w[0];
	int64_t counts[ELEMENT_CLASSES] = { 0 };
	struct histogram h = { .most = 1 };
	struct map m;

	if (written_count(w) == 0)
		return;
	shape_map(e, &m);
	for (int64_t i = written_next(w, 0, 1); i >= 0; i = written_next(w, i + 1, 1)) {
		enum element_class class = element_class(e, i);

		counts[class]++;
		mark_map(&m, i, class);
		if (class != ELEMENT_UNKNOWN)
			h.counts[bucket_of(c->looks.distance,
					   element_distance(e, c->looks.distance, i))]++;
	}
	for (int i = 0; i < BUCKETS; i++)
		h.most = h.counts[i] > h.most ? h.counts[i] : h.most;
	counts[ELEMENT_UNKNOWN] = written_count(w);
	for (int i = ELEMENT_EQUAL; i < ELEMENT_CLASSES; i++)
		counts[ELEMENT_UNKNOWN] -= counts[i];
	print_counts(c, w, counts);
	print_chart(c, &h, &m);
}
