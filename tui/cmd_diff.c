/* cmd_diff.c - `flashtwin diff`: compares two recorded runs, of one trace or of two.
 *
 * Chooses the runs and prints the report; traces/diff/diff.h compares.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/visible.h"
#include "traces/diff/diff.h"
#include "traces/store/store.h"
#include "tui/command.h"
#include "tui/diff_text.h"
#include "tui/last_run.h"
#include "tui/options.h"
#include "tui/run.h"

struct diff_command {
	struct diff_options options;
	const char *paths[2];           /* both the same if one was given */
	bool is_last;                   /* none was given: the last run */
	bool json, plain;
};

/* --- options --- */

static enum status take_runs(struct diff_options *options, const char *text)
{
	char junk;

	if (sscanf(text, "%" SCNd64 ",%" SCNd64 "%c", &options->run_a, &options->run_b, &junk) != 2
	    || options->run_a < 1 || options->run_b < 1)
		return fail(STATUS_USAGE, "--runs: expected two runs, as in 1,2, got %s",
			    text);
	return STATUS_OK;
}

static enum status take_option(void *context, const struct option_value *v)
{
	struct diff_command *diff = context;

	switch (v->id) {
	case OPTION_RUNS: return take_runs(&diff->options, v->text);
	case OPTION_ULP: diff->options.ulp = (uint32_t)v->integer; break;
	case OPTION_FIRST: diff->options.keep = 1; break;
	case OPTION_PRINT_JSON: diff->json = true; break;
	case OPTION_DIFF_PLAIN: diff->plain = true; break;
	default: break;
	}
	return STATUS_OK;
}

static enum status parse(struct diff_command *diff, int argc, char **argv)
{
	int rest;

	TRY(options_parse(COMMAND_DIFF, argc, argv, take_option, diff, &rest));
	TRY(last_run_traces(argc, argv, rest, 2, diff->paths, &diff->is_last));
	if (diff->json && diff->plain)
		return fail(STATUS_USAGE, "--json and --plain are mutually exclusive");
	if (!diff->options.run_a) {
		diff->options.run_a = 1;
		diff->options.run_b = diff->paths[1] ? 1 : 2;
	}
	if (!diff->paths[1])
		diff->paths[1] = diff->paths[0];
	return STATUS_OK;
}

/* --- printing --- */

static enum status print_run(const char *which, struct store *store, int64_t number)
{
	struct store_run run;
	char *command, *device;

	TRY(store_run_read(store, number, &run));
	command = visible_text(run.command);
	device = visible_text(run.device_name);
	printf("%s: %s run %" PRId64 ", %s on %s, seed %" PRIu64 "%s\n", which, store_path(store),
	       number, command, device, run.seed, run.complete ? "" : ", incomplete");
	free(command);
	free(device);
	store_run_free(&run);
	return STATUS_OK;
}

/* One line per difference, with tabs between fields. */
static void print_plain(const struct diff_report *report)
{
	for (int i = 0; i < report->item_count; i++) {
		const struct diff_item *item = &report->items[i];

		const char *const texts[] = { item->address, item->what, item->a, item->b };

		for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
			char *shown = visible_text(texts[k]);

			printf("%s\t", shown);
			free(shown);
		}
		printf("%" PRIu64 "\t", item->bits);
		if (item->ulp >= 0)
			printf("%" PRId64, item->ulp);
		putchar('\n');
	}
}

static enum status print_text(const struct diff_command *diff, struct store *const store[2],
			      const struct diff_report *report)
{
	char *summary = diff_summary(report), *coverage = diff_coverage(report);
	char operations[COUNT_TEXT];

	TRY(print_run("A", store[0], diff->options.run_a));
	TRY(print_run("B", store[1], diff->options.run_b));
	if (report->notes) {
		visible_print(stdout, report->notes);
		putchar('\n');
	}
	diff_print_items(stdout, report);
	printf("%s operations: %s%s\n", count_text(operations, report->operations), coverage,
	       summary);
	free(coverage);
	free(summary);
	return STATUS_OK;
}

static enum status print_json(const struct diff_report *report)
{
	json_t *object = diff_json(report);
	enum status status = run_print_json(object);

	json_decref(object);
	return status;
}

static enum status print_report(const struct diff_command *diff, struct store *const store[2],
				const struct diff_report *report)
{
	if (diff->json)
		return print_json(report);
	if (!diff->plain)
		return print_text(diff, store, report);
	print_plain(report);
	return STATUS_OK;
}

/* --- the command --- */

/* The default is to compare two runs; the last run usually is one. */
static enum status check_last(const struct diff_command *diff, struct store *store)
{
	int64_t count;

	TRY(store_run_count(store, &count));
	if (diff->options.run_a <= count && diff->options.run_b <= count)
		return STATUS_OK;
	return fail(STATUS_USAGE, "the last run, %s, has %" PRId64 " run%s to compare: decode,"
		    " attend and launch with --device both have two; or expected two traces",
		    store_shown_path(store), count, count == 1 ? "" : "s");
}

static enum status compare(const struct diff_command *diff, struct store *const store[2])
{
	struct diff_report report = { 0 };
	enum status status = diff_runs(store[0], store[1], &diff->options, &report);

	if (status == STATUS_OK)
		status = print_report(diff, store, &report);
	if (status == STATUS_OK && report.differences)
		status = command_differs();
	diff_report_free(&report);
	return status;
}

static enum status run(int argc, char **argv)
{
	struct diff_command diff = { .options = { 0 } };
	struct store *store[2] = { NULL, NULL };
	enum status status;

	TRY(parse(&diff, argc, argv));
	status = store_open(diff.paths[0], &store[0]);
	if (status == STATUS_OK && diff.paths[1] == diff.paths[0])
		store[1] = store[0];
	else if (status == STATUS_OK)
		status = store_open(diff.paths[1], &store[1]);
	if (status == STATUS_OK && diff.is_last)
		status = check_last(&diff, store[0]);
	if (status == STATUS_OK)
		status = compare(&diff, store);
	if (store[1] != store[0])
		store_close(store[1]);
	store_close(store[0]);
	return status;
}

const struct command cmd_diff = {
	.summary = "compares two recorded runs bit by bit",
	.usage =
	"usage: flashtwin diff [A.twin [B.twin]] [OPTION...]\n\n"
	"Compares operations, digests, bytes, partials, named points and tokens of two runs,\n"
	"joined on what they are and never on time. A NaN equals a NaN. What one run did not\n"
	"record is not compared, and said so. Without a trace, compares the two runs of the last\n"
	"decode, attend or launch with --device both. Exit code 0: equal, 1: they differ.\n\n",
	.examples =
	"  flashtwin diff both.twin\n"
	"  flashtwin diff gpu.twin sim.twin --first\n"
	"  flashtwin diff ten-seeds.twin --runs 1,10 --json\n",
	.run = run,
};
