/* cmd_verify.c - `flashtwin verify`: checks that a trace is as it was recorded.
 *
 * Prints what is wrong; traces/store/verify.h checks.
 */
#include <inttypes.h>
#include <stdio.h>

#include "traces/store/store.h"
#include "traces/store/verify.h"
#include "tui/command.h"
#include "tui/diff_text.h"
#include "tui/last_run.h"
#include "tui/options.h"
#include "tui/run.h"

struct verify_command {
	bool json;
	json_t *wrong, *warnings;       /* arrays of lines, for --json */
};

static enum status take_option(void *context, const struct option_value *v)
{
	struct verify_command *verify = context;

	if (v->id == OPTION_PRINT_JSON)
		verify->json = true;
	return STATUS_OK;
}

static void take_line(void *context, bool wrong, const char *text)
{
	const struct verify_command *verify = context;

	if (verify->json)
		json_array_append_new(wrong ? verify->wrong : verify->warnings, json_string(text));
	else if (wrong)
		printf("%s\n", text);
	else
		fprintf(stderr, "warning: %s\n", text);
}

static void print_text(const char *path, const struct verify_report *report)
{
	char sums[COUNT_TEXT], rows[COUNT_TEXT], bytes[COUNT_TEXT];

	printf("%s: %" PRId64 " run%s, %s rows under %s sums, %s stored bytes: nothing is wrong\n",
	       path, report->runs, report->runs == 1 ? "" : "s", count_text(rows, report->rows),
	       count_text(sums, report->sums), count_text(bytes, report->bytes));
}

static enum status print_json(const struct verify_command *verify, const char *path,
			      const struct verify_report *report)
{
	json_t *object = json_pack("{s:s, s:I, s:I, s:I, s:I, s:O, s:O}", "trace", path,
				   "runs", (json_int_t)report->runs,
				   "sums", (json_int_t)report->sums,
				   "rows", (json_int_t)report->rows,
				   "bytes", (json_int_t)report->bytes,
				   "wrong", verify->wrong, "warnings", verify->warnings);
	enum status status = run_print_json(object);

	json_decref(object);
	return status;
}

static enum status verify_store(struct verify_command *verify, struct store *store)
{
	const char *path = store_path(store);
	struct verify_report report;

	TRY(verify_trace(store, take_line, verify, &report));
	if (verify->json)
		TRY(print_json(verify, path, &report));
	if (report.wrong)
		return fail(STATUS_DAMAGED, "%s: %" PRId64 " check%s failed", path, report.wrong,
			    report.wrong == 1 ? "" : "s");
	if (!verify->json)
		print_text(path, &report);
	return STATUS_OK;
}

static enum status run(int argc, char **argv)
{
	struct verify_command verify = { .json = false };
	const char *trace;
	struct store *store;
	enum status status;
	int rest;

	TRY(options_parse(COMMAND_VERIFY, argc, argv, take_option, &verify, &rest));
	TRY(last_run_traces(argc, argv, rest, 1, &trace, NULL));
	verify.wrong = json_array();
	verify.warnings = json_array();
	status = store_open(trace, &store);
	if (status == STATUS_OK) {
		status = verify_store(&verify, store);
		store_close(store);
	}
	json_decref(verify.wrong);
	json_decref(verify.warnings);
	return status;
}

const struct command cmd_verify = {
	.summary = "checks that a trace is as it was recorded",
	.usage =
	"usage: flashtwin verify [T.twin] [--json]\n\n"
	"Computes every sum and digest in a trace again, and the columns that follow from others,\n"
	"and names what is wrong. What has no sum, such as the rows of a run that was cut off, is\n"
	"named in a warning. Detects damage and carelessness, not an author who computes the sums\n"
	"again. Without a trace, checks the last run.\n"
	"Exit code 0: nothing is wrong, 6: the trace is damaged.\n\n",
	.examples =
	"  flashtwin verify demo.twin\n"
	"  flashtwin verify demo.twin --json | jq -r '.wrong[]'\n",
	.run = run,
};
