/* view_diff.c - what differs between the runs of a file, or between two traces.
 *
 * With an address, shows what its launch wrote in two runs; view_element.c draws that. Without one,
 * shows the counts and first differences of whole runs, which traces/diff/diff.c compares. The
 * other runs are those of the file, or one run of the second trace: the one with the same number,
 * else its first.
 */
#include "tui/views/element/view_element.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "traces/diff/diff.h"
#include "tui/views/element/view_element_spot.h"
#include "tui/views/view_cell.h"
#include "tui/views/view_list.h"
#include "tui/views/view_missing.h"
#include "tui/views/view_print.h"

static void print_notes(const struct view_context *c, const char *notes)
{
	while (notes && *notes) {
		int length = (int)strcspn(notes, "\n");

		view_print(c, "  note: %.*s\n", length, notes);
		notes += length + (notes[length] == '\n');
	}
}

/* Prints the differences as traces/diff/diff.c formats them, each with the address of its place. */
static void print_lines(const struct view_context *c, const struct diff_report *r, char *text)
{
	char *save = NULL;
	int number = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct address at;

		if (number < r->item_count
		    && address_parse("", r->items[number++].address, &at) == STATUS_OK) {
			at.run = c->run > 1 ? c->run : -1;
			display_anchor(c->out, &at);
		}
		view_print(c, "%s\n", line);
	}
	error_clear();
}

static enum status print_items(const struct view_context *c, const struct diff_report *r)
{
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	if (file)
		diff_print_items(file, r);
	if (!file || fclose(file) != 0)
		return fail(STATUS_INTERNAL, "out of memory for a list of differences");
	print_lines(c, r, text);
	free(text);
	return STATUS_OK;
}

static enum status print_report(const struct view_context *c, const struct diff_report *r)
{
	view_print(c,
		   "  compared: %" PRId64 " operation%s, %" PRId64 " buffer%s, %" PRId64
		   " value%s, %" PRId64 " partial%s, %" PRId64 " point%s, %" PRId64 " token%s\n",
		   r->operations, view_plural(r->operations), r->buffers, view_plural(r->buffers),
		   r->values, view_plural(r->values), r->partials, view_plural(r->partials),
		   r->points, view_plural(r->points), r->tokens, view_plural(r->tokens));
	view_print(c, "  %" PRId64 " difference%s, %" PRIu64 " bit%s", r->differences,
		   view_plural(r->differences), r->bits, r->bits == 1 ? "" : "s");
	if (r->digests > 0)
		view_print(c, ", %" PRId64 " buffer%s by digest alone", r->digests,
			   view_plural(r->digests));
	view_print(c, "\n");
	print_notes(c, r->notes);
	return r->differences > 0 ? print_items(c, r) : STATUS_OK;
}

static enum status compare(const struct view_context *c, struct store *other, int64_t run)
{
	struct diff_options options = { .run_a = c->run, .run_b = run };
	struct diff_report report = { 0 };
	enum status status;

	view_print(c, "\n run %" PRId64 " against run %" PRId64 "%s%s\n", c->run, run,
		   c->other ? " of " : "", c->other ? store_path(other) : "");
	status = diff_runs(c->store, other, &options, &report);
	if (status == STATUS_OK)
		status = print_report(c, &report);
	diff_report_free(&report);
	return status;
}

/* Compares the run in full with each other run. */
static enum status compare_all(const struct view_context *c)
{
	int64_t runs;

	view_title(c, "DIFFERENCES");
	if (c->other) {
		TRY(store_run_count(c->other, &runs));
		return compare(c, c->other, c->run <= runs ? c->run : 1);
	}
	TRY(store_run_count(c->store, &runs));
	for (int64_t run = 1; run <= runs; run++)
		if (run != c->run)
			TRY(compare(c, c->store, run));
	return STATUS_OK;
}

static enum status draw_one_run(const struct view_context *c)
{
	const char *path = store_shown_path(c->store), *trust;

	TRY(view_trust(c, &trust));
	view_title(c, "DIFFERENCES");
	view_print(c, "  one run, nothing to compare with. A second one:\n"
		   "    flashtwin replay %s%s --seed 8 -o T2.twin\n"
		   "    flashtwin view %s T2.twin --screen diff\n", path, trust, path);
	return STATUS_OK;
}

static enum status draw(const struct view_context *c)
{
	struct diff_pair pair;
	bool some;

	TRY(element_pair(c, &pair, &some));
	if (!some)
		return draw_one_run(c);
	if (c->at.launch < 0 && c->at.step < 0 && c->at.op < 0)
		return compare_all(c);
	return element_draw(c, &pair);
}

const struct view view_diff = {
	.name = "diff", .summary = "what differs between runs, element by element",
	.draw = draw
};
