/* diff_text.c - formats the report of a comparison as text and as JSON.
 *
 * traces/diff/diff.h compares, and defines what counts as a difference. Used by `diff`, `replay`
 * and `--device both`.
 */
#include "tui/diff_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "base/xalloc.h"

const char *count_text(char out[COUNT_TEXT], int64_t count)
{
	char digits[COUNT_TEXT];
	size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRId64, count), to = 0;

	for (size_t i = 0; i < length; i++) {
		out[to++] = digits[i];
		if (digits[i] != '-' && i + 1 < length && (length - i - 1) % 3 == 0)
			out[to++] = ',';
	}
	out[to] = '\0';
	return out;
}

/* Appends `joint` and a count, as in "7,584 partials"; frees `list`. */
static char *add_count(char *list, const char *joint, int64_t count, const char *one,
		       const char *many)
{
	char text[COUNT_TEXT];
	char *longer = xasprintf("%s%s%s %s", list, joint, count_text(text, count),
				 count == 1 ? one : many);

	free(list);
	return longer;
}

char *diff_summary(const struct diff_report *r)
{
	bool partials = r->level >= LEVEL_PARTIALS, points = r->level >= LEVEL_POINTS;
	bool access = r->level >= LEVEL_ACCESS;
	char *text = add_count(xstrdup(""), "", r->buffers, "buffer", "buffers");

	if (partials)
		text = add_count(text, points ? ", " : " and ", r->partials, "partial", "partials");
	if (points)
		text = add_count(text, access ? ", " : " and ", r->points, "named point",
				 "named points");
	if (access)
		text = add_count(text, " and ", r->accesses, "load or store", "loads and stores");
	text = add_count(text, " compared, ", (int64_t)r->bits, "bit differs", "bits differ");
	if (r->digests)
		text = add_count(text, ", ", r->digests, "buffer differs by digest",
				 "buffers differ by digest");
	if (r->differences)
		text = add_count(text, ", ", r->differences, "difference in all",
				 "differences in all");
	if (r->varying_digests)
		text = add_count(text, ", ", r->varying_digests, "buffer that depends on clock()"
				 " left out", "buffers that depend on clock() left out");
	if (r->varying)
		text = add_count(text, ", ", r->varying, "value that depends on clock() left out",
				 "values that depend on clock() left out");
	if (r->within_ulp)
		text = add_count(text, ", ", r->within_ulp, "value within the tolerance",
				 "values within the tolerance");
	return text;
}

/* The points that were left out; "" if there are none. */
static char *lacking_text(const struct diff_report *r)
{
	char *names, *text;

	if (!r->points_lacking)
		return xstrdup("");
	names = visible_text(r->points_lacking);
	text = xasprintf(" except points that the other run's kernels lack (%s)", names);
	free(names);
	return text;
}

char *diff_coverage(const struct diff_report *r)
{
	char *text = xstrdup(""), *lacking = lacking_text(r), *longer;

	if (!r->buffers_by_sum && !r->points_by_sum) {
		free(text);
		longer = xasprintf("all rows read%s: ", lacking);
		free(lacking);
		return longer;
	}
	if (r->buffers_by_sum)
		text = add_count(text, "bytes of ", r->buffers_by_sum, "buffer", "buffers");
	if (r->points_by_sum)
		text = add_count(text, *text ? " and " : "", r->points_by_sum, "point", "points");
	longer = xasprintf("%s by verified sums, other rows read%s: ", text, lacking);
	free(text);
	free(lacking);
	return longer;
}

static json_t *item_json(const struct diff_item *item)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "address", item->address,
			 "what", item->what, "a", item->a, "b", item->b,
			 "bits", (json_int_t)item->bits,
			 "ulp", item->ulp < 0 ? json_null() : json_integer((json_int_t)item->ulp));
}

static json_t *notes_json(const char *notes)
{
	json_t *lines = json_array();

	while (notes && *notes) {
		size_t length = strcspn(notes, "\n");

		json_array_append_new(lines, json_stringn(notes, length));
		notes += length + (notes[length] == '\n');
	}
	return lines;
}

json_t *diff_json(const struct diff_report *r)
{
	json_t *items = json_array();

	for (int i = 0; i < r->item_count; i++)
		json_array_append_new(items, item_json(&r->items[i]));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I,"
			 " s:I, s:I, s:s?, s:o, s:o}",
			 "operations", (json_int_t)r->operations, "buffers", (json_int_t)r->buffers,
			 "values", (json_int_t)r->values, "partials", (json_int_t)r->partials,
			 "points", (json_int_t)r->points,
			 "accesses", (json_int_t)r->accesses, "tokens", (json_int_t)r->tokens,
			 "differences", (json_int_t)r->differences, "bits", (json_int_t)r->bits,
			 "digests", (json_int_t)r->digests, "varying", (json_int_t)r->varying,
			 "varying_digests", (json_int_t)r->varying_digests,
			 "within_ulp", (json_int_t)r->within_ulp,
			 "max_ulp", (json_int_t)r->max_ulp,
			 "buffers_by_sum", (json_int_t)r->buffers_by_sum,
			 "points_by_sum", (json_int_t)r->points_by_sum,
			 "points_lacking", r->points_lacking,
			 "notes", notes_json(r->notes), "first", items);
}
