/* view_diff.c - what differs between the runs of a file, or between two traces.
 *
 * traces/diff.c compares; here are only the counts and the first differences. A run is compared
 * with each later one of its file, or with the run of the second trace that has its number, else
 * its first.
 */
#include "tui/view.h"

#include <inttypes.h>
#include <string.h>

#include "traces/diff.h"

static void print_notes(const struct view_context *c, const char *notes)
{
	while (notes && *notes) {
		int length = (int)strcspn(notes, "\n");

		fprintf(c->out, "  note: %.*s\n", length, notes);
		notes += length + (notes[length] == '\n');
	}
}

static void print_report(const struct view_context *c, const struct diff_report *r)
{
	fprintf(c->out,
		"  compared: %" PRId64 " operations, %" PRId64 " buffers, %" PRId64
		" values, %" PRId64 " partials, %" PRId64 " points, %" PRId64 " tokens\n",
		r->operations, r->buffers, r->values, r->partials, r->points, r->tokens);
	fprintf(c->out, "  %" PRId64 " difference%s, %" PRIu64 " bits", r->differences,
		view_plural(r->differences), r->bits);
	if (r->digests > 0)
		fprintf(c->out, ", %" PRId64 " buffer%s by digest alone", r->digests,
			view_plural(r->digests));
	fputc('\n', c->out);
	print_notes(c, r->notes);
	if (r->differences > 0)
		diff_print_items(c->out, r);
}

static enum status compare(const struct view_context *c, struct store *other, int64_t run)
{
	struct diff_options options = { .run_a = c->run, .run_b = run };
	struct diff_report report = { 0 };
	enum status status;

	fprintf(c->out, "\n run %" PRId64 " against run %" PRId64 "%s%s\n", c->run, run,
		c->other ? " of " : "", c->other ? store_path(other) : "");
	status = diff_runs(c->store, other, &options, &report);
	if (status == STATUS_OK)
		print_report(c, &report);
	diff_report_free(&report);
	return status;
}

static enum status draw(const struct view_context *c)
{
	int64_t runs;

	view_title(c, "DIFFERENCES");
	if (c->other) {
		TRY(store_run_count(c->other, &runs));
		return compare(c, c->other, c->run <= runs ? c->run : 1);
	}
	TRY(store_run_count(c->store, &runs));
	if (runs < 2)
		fprintf(c->out, "  one run, nothing to compare with; give a second trace\n");
	for (int64_t run = 1; run <= runs; run++)
		if (run != c->run)
			TRY(compare(c, c->store, run));
	return STATUS_OK;
}

const struct view view_diff = { "diff", "what differs between runs", draw };
