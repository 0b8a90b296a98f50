/* view_chunk_check.c - the invariants of one chunk, and why one fails; see view_chunk.h.
 *
 * Computes in float64 from recorded scores and V rows. The cause of a wrong accumulator is
 * found by trial: the hypotheses are a factor left out at a tile, and a key left out or counted
 * twice. The first one that yields the recorded values is reported.
 */
#include "tui/views/attend/view_chunk.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_columns.h"
#include "tui/views/view_print.h"
#include "tui/views/view_query.h"

#define COLUMNS 78                      /* max width of a line of checks */
#define ULP 0x1p-23

struct check {
	const struct view_context *c;
	const struct view_chunk *chunk;
	const struct view_scores *keys;
	int column;                     /* of the line being written */
	double *acc;                    /* [d] as recorded, before the division */
	double *term;                   /* [keys] exp(score - max) */
	bool wrong;
};

static void print_check(struct check *k, bool good, const char *what)
{
	int length = (int)strlen(what) + (good ? 6 : 8);
	int columns = view_narrow(k->c) ? k->c->columns : COLUMNS;

	if (k->column && k->column + length > columns) {
		view_print(k->c, "\n");
		k->column = 0;
	}
	if (!k->column)
		k->column = view_print(k->c, " check");
	k->column += view_print(k->c, " ");
	k->column += view_styled(k->c, good ? STYLE_PLAIN : STYLE_WRONG, " %s: %s", what,
				 good ? "ok" : "FAIL");
	k->wrong |= !good;
}

static void end_checks(struct check *k)
{
	if (k->column)
		view_print(k->c, "\n");
	k->column = 0;
}

/* Equal, where a NaN equals a NaN. */
static bool same(float a, float b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* Equal up to the rounding of a sum of `terms` terms. */
static bool close_to(double a, double b, double magnitude, int64_t terms)
{
	return a == b || fabs(a - b) <= (double)(terms + 64) * ULP * magnitude;
}

/* --- max, sum and shares --- */

static void check_softmax(struct check *k)
{
	const struct view_chunk *p = k->chunk;
	const struct view_scores *keys = k->keys;
	int64_t count = keys->end - keys->begin;
	const struct view_tile *last = view_scores_last(keys, 0);
	double sum = 0.0, max = -INFINITY;
	bool nan = isnan(p->max) || isnan(p->sum);

	if (!p->whole)
		print_check(k, fabs(p->row_shares - 1.0) < 1e-9,
			    "shares of the row add up to 1");
	if (!p->whole && last && keys->warps == 1)
		print_check(k, same(last->max, p->max) && same(last->sum, p->sum),
			    "partial is the last tile's");
	else if (!p->whole && keys->tile_count)
		print_check(k, (float)keys->max == p->max
			    && close_to(keys->sum, p->sum, p->sum, count),
			    "partial merges its warps");
	for (int64_t i = 0; keys->score && i < count; i++) {
		sum += k->term[i];
		max = fmax(max, keys->score[i]);
		nan |= isnan(keys->score[i]);
	}
	if (keys->score) {
		print_check(k, max == p->max, "m = max s");
		print_check(k, close_to(sum, p->sum, p->sum, count), "l = sum exp(s-m)");
	}
	print_check(k, !nan, "no NaN");
}

/* --- accumulators and values --- */

/* What the accumulator of element d would be with these terms exp(score - max). */
static double sum_of(const struct check *k, const double *terms, int64_t d, double *magnitude)
{
	const struct view_scores *keys = k->keys;
	double acc = 0.0;

	*magnitude = 0.0;
	for (int64_t i = 0; i < keys->end - keys->begin; i++) {
		double term = terms[i] * keys->value[i * keys->d + d];

		acc += term;
		*magnitude += fabs(term);
	}
	return acc;
}

static bool explains(const struct check *k, const double *terms)
{
	for (int64_t d = 0; d < k->keys->d; d++) {
		double magnitude, acc = sum_of(k, terms, d, &magnitude);

		if (!close_to(acc, k->acc[d], magnitude, k->keys->end - k->keys->begin))
			return false;
	}
	return true;
}

/* Counts elements of the normalized row outside the range of their values; lists six in `text`. */
static int64_t outside_hull(const struct check *k, char *text, size_t bytes)
{
	const struct view_scores *keys = k->keys;
	int64_t outside = 0, count = keys->end - keys->begin;
	size_t used = 0;

	for (int64_t d = 0; d < keys->d; d++) {
		double min = INFINITY, max = -INFINITY, o = k->acc[d] / k->chunk->sum, slack;

		for (int64_t i = 0; i < count; i++) {
			min = fmin(min, keys->value[i * keys->d + d]);
			max = fmax(max, keys->value[i * keys->d + d]);
		}
		slack = (double)(count + 64) * ULP * fmax(fabs(min), fabs(max));
		if (o >= min - slack && o <= max + slack)
			continue;
		if (outside++ < 6 && used < bytes)
			used += (size_t)snprintf(text + used, bytes - used, " %" PRId64, d);
	}
	return outside;
}

static void check_values(struct check *k)
{
	char elements[64] = "";
	int64_t outside = outside_hull(k, elements, sizeof elements);
	char text[128];

	snprintf(text, sizeof text, "o = acc/l in [min v, max v] of its keys%s%s%s",
		 outside ? ", not d =" : "", elements, outside > 6 ? " ..." : "");
	print_check(k, outside == 0, text);
	print_check(k, explains(k, k->term), "acc = sum exp(s-m) v");
}

/* --- why --- */

static void print_why(struct check *k, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void print_why(struct check *k, const char *format, ...)
{
	char text[200];
	va_list args;

	end_checks(k);
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	view_styled(k->c, STYLE_WRONG, " why    %s\n", text);
}

/* The first key of the tile that has its maximum. */
static int64_t key_of_max(const struct view_scores *keys, const struct view_tile *tile)
{
	for (int64_t key = tile->key; key < tile->end; key++)
		if (keys->score && keys->score[key - keys->begin] == tile->max)
			return key;
	return tile->key;
}

/* The terms if the keys before the tile had not been rescaled at it. */
static void without_rescale(const struct check *k, const struct view_warp *warp, int64_t tile,
			    double *terms)
{
	const struct view_scores *keys = k->keys;
	double rise = (double)warp->tiles[tile].max - warp->tiles[tile - 1].max;

	memcpy(terms, k->term, (size_t)(keys->end - keys->begin) * sizeof *terms);
	for (const struct view_tile *t = warp->tiles; t < warp->tiles + tile; t++)
		for (int64_t key = t->key; key < t->end; key++)
			terms[key - keys->begin] =
				exp((double)keys->score[key - keys->begin] - keys->max + rise);
}

/* The same with no rescaling at any tile of any warp. */
static void never_rescaled(const struct check *k, double *terms)
{
	const struct view_scores *keys = k->keys;

	for (int64_t i = 0; i < keys->end - keys->begin; i++)
		terms[i] = NAN;
	for (int w = 0; w < keys->warps; w++) {
		const struct view_warp *warp = &keys->warp[w];
		const struct view_tile *last = view_scores_last(keys, w);

		for (const struct view_tile *t = warp->tiles; t < warp->tiles + warp->count; t++)
			for (int64_t key = t->key; key < t->end; key++)
				terms[key - keys->begin] =
					exp((double)keys->score[key - keys->begin] - t->max
					    + last->max - keys->max);
	}
}

static bool find_rescale(struct check *k, double *terms)
{
	const struct view_scores *keys = k->keys;

	for (int w = 0; w < keys->warps; w++) {
		const struct view_warp *warp = &keys->warp[w];

		for (int64_t t = 1; t < warp->count; t++) {
			const struct view_tile *tile = &warp->tiles[t];

			if (tile->max == tile[-1].max || isinf(tile[-1].max))
				continue;
			without_rescale(k, warp, t, terms);
			if (!explains(k, terms))
				continue;
			print_why(k, "acc was not multiplied by %.4g when the running max rose at"
				  " key %" PRId64, exp((double)tile[-1].max - tile->max),
				  key_of_max(keys, tile));
			return true;
		}
	}
	never_rescaled(k, terms);
	if (explains(k, terms))
		print_why(k, "acc was never rescaled when the running max rose");
	return explains(k, terms);
}

static bool find_key(struct check *k, double *terms)
{
	const struct view_scores *keys = k->keys;

	memcpy(terms, k->term, (size_t)(keys->end - keys->begin) * sizeof *terms);
	for (int64_t i = 0; i < keys->end - keys->begin; i++) {
		for (int times = 0; times <= 2; times += 2) {
			terms[i] = times * k->term[i];
			if (explains(k, terms)) {
				print_why(k, "key %" PRId64 " %s in acc", keys->begin + i,
					  times ? "counts twice" : "is missing");
				return true;
			}
		}
		terms[i] = k->term[i];
	}
	return false;
}

static void explain_values(struct check *k)
{
	double *terms;

	if (explains(k, k->term))
		return;
	terms = xcalloc((size_t)(k->keys->end - k->keys->begin), sizeof *terms);
	if (!(k->keys->tile_count && find_rescale(k, terms)) && !find_key(k, terms))
		print_why(k, "acc does not match the recorded scores and V rows");
	free(terms);
}

/* The sum of a tile's published terms. */
static double tile_terms(const struct view_scores *keys, const struct view_tile *tile)
{
	double sum = 0.0;

	for (int64_t key = tile->key; key < tile->end; key++)
		sum += keys->term[key - keys->begin];
	return sum;
}

static void explain_tile(struct check *k, const struct view_warp *warp, int64_t t)
{
	const struct view_tile *tile = &warp->tiles[t];
	double before = t ? tile[-1].sum : 0.0, old = t ? tile[-1].max : -INFINITY;
	double wanted = isinf(old) ? 0.0 : exp(old - tile->max), added;

	if (fabs(tile->rescale - wanted) > 1e-6)
		print_why(k, "at key %" PRId64 " the factor is %.6g, not exp(old max - max) = %.6g",
			  tile->key, tile->rescale, wanted);
	if (tile->max < old)
		print_why(k, "the running max fell from %.6g to %.6g at key %" PRId64, old,
			  tile->max, tile->key);
	if (!k->keys->term)
		return;
	added = tile_terms(k->keys, tile);
	if (close_to(before * tile->rescale + added, tile->sum, tile->sum, VIEW_TILE))
		return;
	if (close_to(before + added, tile->sum, tile->sum, VIEW_TILE))
		print_why(k, "sum was not multiplied by %.4g when the running max rose at key %"
			  PRId64, tile->rescale, key_of_max(k->keys, tile));
	else
		print_why(k, "sum is %.6g after key %" PRId64 ", not %.6g", tile->sum,
			  tile->end - 1, before * tile->rescale + added);
}

static void explain_softmax(struct check *k)
{
	for (int w = 0; w < k->keys->warps; w++)
		for (int64_t t = 0; t < k->keys->warp[w].count; t++)
			explain_tile(k, &k->keys->warp[w], t);
}

/* --- where --- */

/* The line of the point that publishes each tile: in the kernel's own file, else the last that has
 * it, as kernel_text_point() finds it. */
static enum status print_place(const struct view_context *c, sqlite3_stmt *row, void *state)
{
	static const char point[] = "POINT(softmax";
	const char *text = view_text(row, 1), *found = strstr(text, point);
	bool *printed = state;
	int64_t line = 1;

	if (!found || *printed)
		return STATUS_OK;
	for (const char *at = text; at < found; at++)
		line += *at == '\n';
	view_print(c, "        max, factor and sum of a tile are published at %s:%" PRId64 "\n",
		   view_text(row, 0), line);
	*printed = true;
	return STATUS_OK;
}

static enum status show_place(const struct check *k)
{
	bool printed = false;

	return VIEW_ROWS(k->c, print_place, &printed,
			 "SELECT s.file, s.source FROM v_launch l JOIN v_source s ON s.run = l.run"
			 " AND s.kernel = l.kernel WHERE l.run = ?1 AND l.launch = ?2"
			 " ORDER BY s.entry = 0 DESC, s.entry DESC", k->c->run,
			 k->chunk->shape->place.launch);
}

/* --- */

static void check_all(struct check *k)
{
	const struct view_scores *keys = k->keys;
	int64_t count = keys->end - keys->begin;

	for (int64_t i = 0; keys->score && i < count; i++)
		k->term[i] = keys->score[i] == k->chunk->max ? 1.0
			: exp((double)keys->score[i] - k->chunk->max);
	check_softmax(k);
	if (keys->score && keys->value && k->acc)
		check_values(k);
	else
		view_print(k->c, "%s check  convex hull: %s", k->column ? "\n" : "",
			   !keys->score ? "scores were not recorded (--log points records them)"
			   : k->acc ? "too many keys, or V rows are not in the trace"
			   : "outputs were not recorded");
	k->column = 1;
	end_checks(k);
	explain_softmax(k);
	if (keys->score && keys->value && k->acc)
		explain_values(k);
}

/* Reads accumulators as before the division by the sum; undoes the division of a whole row. */
static enum status read_acc(const struct view_context *c, struct check *k)
{
	size_t bytes = (size_t)k->keys->d * sizeof(float), size = 0;
	size_t offset = (size_t)k->chunk->acc_offset;
	float value;
	void *data;

	if (!k->chunk->acc_data || k->keys->d < 1)
		return STATUS_OK;
	TRY(store_data(c->store, k->chunk->acc_data, &data, &size));
	if (offset <= size && size - offset >= bytes) {
		k->acc = xcalloc((size_t)k->keys->d, sizeof *k->acc);
		for (int64_t d = 0; d < k->keys->d; d++) {
			memcpy(&value, (char *)data + offset + (size_t)d * sizeof value,
			       sizeof value);
			k->acc[d] = k->chunk->whole ? value * k->keys->sum : value;
		}
	}
	free(data);
	return STATUS_OK;
}

enum status view_chunk_check(const struct view_context *c, const struct view_chunk *chunk,
			     const struct view_scores *keys)
{
	struct check k = { .c = c, .chunk = chunk, .keys = keys };
	enum status status = read_acc(c, &k);

	if (status == STATUS_OK) {
		k.term = xcalloc((size_t)(keys->end - keys->begin) + 1, sizeof *k.term);
		view_print(c, "\n");
		check_all(&k);
		if (k.wrong)
			status = show_place(&k);
	}
	free(k.term);
	free(k.acc);
	return status;
}
