/* diff.c - compares two runs: chooses what is compared, and reports what is left out.
 *
 * Operations come first, because they limit how far the two runs can be compared; then everything
 * recorded about those operations is joined on its key.
 */
#include "traces/diff/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "traces/diff/diff_passes.h"
#include "traces/diff/diff_report.h"
#include "traces/store/verified.h"

/* --- what is compared --- */

static void choose_level(struct diff *d)
{
	enum log_level a = d->run[0].level, b = d->run[1].level;

	d->report->level = a < b ? a : b;
	if (a != b)
		diff_note(d, "compared at level %s: A was recorded at %s, B at %s",
			  log_level_name(d->report->level), log_level_name(a), log_level_name(b));
}

/* "all", or the windows. */
static const char *recorded_at(const struct store_run *run)
{
	return run->log_at ? run->log_at : "all";
}

/* A replay does exactly what was recorded, so nothing is left out. */
static enum status choose_windows(struct diff *d)
{
	d->narrowed = !d->options.replayed
		      && strcmp(recorded_at(&d->run[0]), recorded_at(&d->run[1])) != 0;
	for (int side = 0; side < 2 && d->narrowed; side++)
		if (log_at_parse(d->run[side].log_at, &d->log_at[side]) != STATUS_OK)
			return fail_context(STATUS_DAMAGED, "run %" PRId64, d->run[side].run);
	return STATUS_OK;
}

/* Rows with equal digests are skipped only if both runs' digests are those of their rows. */
static enum status verify(struct diff *d, enum status (*verified)(struct store *, int64_t run,
								  enum verified *))
{
	d->by_sum = false;
	for (int side = 0; side < 2; side++) {
		enum verified how;

		TRY(verified(d->store[side], d->run[side].run, &how));
		d->by_sum = d->by_sum || how == VERIFIED_SUM;
	}
	return STATUS_OK;
}

static enum status compare_all(struct diff *d)
{
	bool graphs[2];

	TRY(choose_windows(d));
	TRY(diff_uses_graphs(d, 0, &graphs[0]));
	TRY(diff_uses_graphs(d, 1, &graphs[1]));
	if (graphs[0] != graphs[1] && !d->narrowed && !d->options.replayed) {
		TRY(verify(d, verified_digests));
		TRY(diff_graph(d));
	} else {
		TRY(diff_ops(d));
		TRY(verify(d, verified_digests));
		TRY(diff_digests(d));
	}
	if (d->report->level >= LEVEL_PARTIALS)
		TRY(diff_partials(d));
	if (d->report->level >= LEVEL_POINTS) {
		TRY(verify(d, verified_points));
		TRY(diff_points(d));
	}
	if (d->report->level >= LEVEL_ACCESS)
		TRY(diff_accesses(d));
	return d->options.replayed ? STATUS_OK : diff_tokens(d);
}

/* The first operation that was not compared. */
static int64_t op_limit(const struct diff *d)
{
	return d->op_count ? d->ops[d->op_count - 1].key[KEY_OP_A] + 1 : 0;
}

static void note_limits(struct diff *d)
{
	if (d->cut)
		diff_note(d, "%s is incomplete: compared up to operation %" PRId64,
			  d->run[0].complete ? "B" : "A", op_limit(d));
	for (int side = 0; side < 2; side++)
		if (d->left_out[side])
			diff_note(d, "%c was recorded at %s: %" PRId64 " operations of %c are left"
				  " out", side ? 'A' : 'B', recorded_at(&d->run[!side]),
				  d->left_out[side], side ? 'B' : 'A');
	if (d->digests_only)
		diff_note(d, "%" PRId64 " digests differ, but there are no values to compare with"
			  " --ulp", d->digests_only);
}

enum status diff_runs(struct store *a, struct store *b, const struct diff_options *options,
		      struct diff_report *report)
{
	struct diff d = { .store = { a, b }, .options = *options, .report = report };
	enum status status;

	*report = (struct diff_report){ 0 };
	if (d.options.keep <= 0)
		d.options.keep = DIFF_KEEP;
	TRY(store_run_read(a, options->run_a, &d.run[0]));
	status = store_run_read(b, options->run_b, &d.run[1]);
	if (status == STATUS_OK) {
		choose_level(&d);
		status = compare_all(&d);
		note_limits(&d);
		diff_report_found(&d);
		store_run_free(&d.run[1]);
	}
	store_run_free(&d.run[0]);
	log_at_free(&d.log_at[0]);
	log_at_free(&d.log_at[1]);
	free(d.ops);
	free(d.buffers);
	free(d.found);
	return status;
}

/* --- the report --- */

void diff_report_free(struct diff_report *report)
{
	free(report->notes);
	free(report->points_lacking);
	free(report->items);
	*report = (struct diff_report){ 0 };
}

static void print_text(FILE *out, const char *before, const char *text)
{
	char *shown = visible_text(text);

	fprintf(out, "%s%s", before, shown);
	free(shown);
}

static void print_item(FILE *out, const struct diff_item *item)
{
	print_text(out, "", item->address);
	print_text(out, " ", item->what);
	if (*item->a || *item->b) {
		print_text(out, ": ", *item->a ? item->a : "none");
		print_text(out, " / ", *item->b ? item->b : "none");
	}
	if (item->bits)
		fprintf(out, ", %" PRIu64 " bit%s", item->bits, item->bits == 1 ? "" : "s");
	if (item->ulp >= 0)
		fprintf(out, ", %" PRId64 " ulp", item->ulp);
	fputc('\n', out);
}

void diff_print_items(FILE *out, const struct diff_report *report)
{
	for (int i = 0; i < report->item_count; i++)
		print_item(out, &report->items[i]);
	if (report->differences > report->item_count)
		fprintf(out, "only the first %d are listed\n", report->item_count);
}
