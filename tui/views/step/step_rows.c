/* step_rows.c - chooses the lines of keys that fit on the Step screen; see step.h.
 *
 * What does not fit becomes a gap with its share of the row, so that no weight disappears.
 */
#include "tui/views/step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* A line, and how much it is wanted. */
struct candidate {
	struct step_row row;
	double rank;                    /* the share; the obligatory ones above 1 */
	int64_t number;
	bool kept;
};

static double share_of(const struct step_chunk *k, int64_t begin, int64_t end)
{
	double share = 0.0;

	if (!k->weight)
		return k->share * (double)(end - begin) / (double)(k->end - k->begin);
	for (int64_t key = begin; key < end; key++)
		share += k->weight[key - k->begin];
	return share;
}

static double rank_of(const struct step *s, const struct step_row *row)
{
	const struct step_chunk *k = &s->chunks[row->chunk];

	if (k->number == s->chosen && row->begin == k->begin)
		return 3.0;
	if (row->end == s->keys)
		return 2.0;
	return isnan(row->share) ? 1.0 : row->share;
}

static int64_t split(const struct step *s, int64_t width, struct candidate **out)
{
	int64_t count = 0;
	struct candidate *lines;

	for (int64_t i = 0; i < s->live; i++)
		count += (s->chunks[i].end - s->chunks[i].begin + width - 1) / width;
	*out = lines = xcalloc((size_t)count, sizeof *lines);
	count = 0;
	for (int64_t i = 0; i < s->live; i++) {
		const struct step_chunk *k = &s->chunks[i];

		for (int64_t begin = k->begin; begin < k->end; begin += width) {
			int64_t end = begin + width < k->end ? begin + width : k->end;
			struct candidate *line = &lines[count];

			line->row = (struct step_row){ begin, end, i, i, share_of(k, begin, end),
						       false, false };
			line->number = count++;
			line->rank = rank_of(s, &line->row);
		}
	}
	return count;
}

static int by_rank(const void *a, const void *b)
{
	const struct candidate *const *first = a, *const *second = b;
	double x = (*first)->rank, y = (*second)->rank;

	return x != y ? (x < y) - (x > y) : (*first)->number < (*second)->number ? -1 : 1;
}

/* Keeps lines in order of their rank while they and the gaps between them fit. */
static void keep(struct candidate *lines, int64_t count, int64_t fit)
{
	struct candidate **ranked = xcalloc((size_t)count, sizeof *ranked);
	int64_t used = 1;               /* one gap over everything */

	for (int64_t i = 0; i < count; i++)
		ranked[i] = &lines[i];
	qsort(ranked, (size_t)count, sizeof *ranked, by_rank);
	for (int64_t i = 0; i < count; i++) {
		int64_t n = ranked[i]->number;
		/* A line splits the gap around it in two, shortens it, or fills it. */
		bool before = n > 0 && !lines[n - 1].kept, after = n + 1 < count
			&& !lines[n + 1].kept;
		int64_t more = before + after;

		if (used + more > fit)
			continue;
		used += more;
		lines[n].kept = true;
	}
	free(ranked);
}

static void extend_gap(struct step_row *gap, const struct step_row *line)
{
	gap->end = line->end;
	gap->last_chunk = line->chunk;
	gap->share += line->share;
}

void step_rows(const struct step *s, int64_t width, int64_t fit, struct step_row **rows,
	       int64_t *count)
{
	struct candidate *lines;
	int64_t total = split(s, width, &lines), shown = -1;

	if (fit > 0 && total > fit)
		keep(lines, total, fit);
	else
		for (int64_t i = 0; i < total; i++)
			lines[i].kept = true;
	*rows = xcalloc((size_t)total + 1, sizeof **rows);
	*count = 0;
	for (int64_t i = 0; i < total; i++) {
		struct step_row *last = *count > 0 ? &(*rows)[*count - 1] : NULL;

		if (!lines[i].kept && last && last->gap) {
			extend_gap(last, &lines[i].row);
			continue;
		}
		last = &(*rows)[(*count)++];
		*last = lines[i].row;
		last->gap = !lines[i].kept;
		last->first = lines[i].kept && last->chunk != shown;
		if (last->first)
			shown = last->chunk;
	}
	free(lines);
}
