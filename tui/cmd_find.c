/* cmd_find.c - `flashtwin find`: lists what the checker found in the runs of a trace.
 *
 * Reads only what the trace holds; the kernels are not run again. tui/findings.h prints a finding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/command.h"
#include "tui/findings.h"
#include "tui/last_run.h"
#include "tui/options.h"
#include "tui/run.h"

struct find_command {
	const char *trace, *class;      /* class NULL: all */
	bool json, lint_fail;
	json_t *found;
	int64_t bugs, lints;
};

static enum status take_option(void *context, const struct option_value *v)
{
	struct find_command *find = context;

	if (v->id == OPTION_CLASS)
		find->class = v->text;
	find->json |= v->id == OPTION_FIND_JSON;
	find->lint_fail |= v->id == OPTION_FIND_LINT_FAIL;
	return STATUS_OK;
}

static enum status parse(struct find_command *find, int argc, char **argv)
{
	int rest;

	TRY(options_parse(COMMAND_FIND, argc, argv, take_option, find, &rest));
	return last_run_traces(argc, argv, rest, 1, &find->trace, NULL);
}

static enum status take_row(struct find_command *find, struct store *store, sqlite3_stmt *rows)
{
	const char *class = (const char *)sqlite3_column_text(rows, 1);
	const char *text = (const char *)sqlite3_column_text(rows, 2);
	json_t *finding = text ? json_loads(text, 0, NULL) : NULL;

	if (!class || !json_is_object(finding)) {
		json_decref(finding);
		return fail(STATUS_DAMAGED, "%s: the trace is damaged: a finding has no text",
			    store_shown_path(store));
	}
	if (!find->class || strcmp(find->class, class) == 0) {
		json_object_set_new(finding, "run", json_integer(sqlite3_column_int64(rows, 0)));
		json_array_append(find->found, finding);
		*(json_is_true(json_object_get(finding, "lint")) ? &find->lints : &find->bugs) += 1;
	}
	json_decref(finding);
	return STATUS_OK;
}

static enum status read_findings(struct find_command *find, struct store *store)
{
	sqlite3_stmt *rows = NULL;
	enum status status = STATUS_OK;
	int step;

	if (sqlite3_prepare_v2(store_db(store), "SELECT run, class, message FROM v_finding"
			       " ORDER BY run, finding", -1, &rows, NULL) != SQLITE_OK)
		return store_read_failed(store);
	while (status == STATUS_OK && (step = sqlite3_step(rows)) != SQLITE_DONE)
		status = step == SQLITE_ROW ? take_row(find, store, rows)
			: store_read_failed(store);
	sqlite3_finalize(rows);
	return status;
}

/* An unchecked run has no findings, like a clean one; but only --check records executed lines.
 * False for a trace of an older version, which has no view of lines. */
static bool seems_unchecked(struct store *store)
{
	sqlite3_stmt *row = NULL;
	bool unchecked = false;

	if (sqlite3_prepare_v2(store_db(store), "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM v_hit)"
			       " AND NOT EXISTS (SELECT 1 FROM v_finding)", -1, &row, NULL)
	    == SQLITE_OK)
		unchecked = sqlite3_step(row) == SQLITE_ROW;
	sqlite3_finalize(row);
	return unchecked;
}

static enum status print_all(const struct find_command *find)
{
	if (find->json)
		return run_print_json(find->found);
	for (size_t i = 0; i < json_array_size(find->found); i++)
		finding_print(stdout, json_array_get(find->found, i));
	return STATUS_OK;
}

static enum status find_all(struct find_command *find)
{
	struct store *store;
	enum status status;

	TRY(store_open(find->trace, &store));
	status = read_findings(find, store);
	if (status == STATUS_OK && seems_unchecked(store))
		fprintf(stderr, "flashtwin find: %s: no findings, but no lines executed either,"
			" which --check records: was it recorded with --check?\n",
			store_shown_path(store));
	store_close(store);
	TRY(status);
	TRY(print_all(find));
	/* If printing the findings failed, that is the result, not the findings. */
	if (fflush(stdout) != 0 || ferror(stdout))
		return command_stdout_failed();
	return findings_status(find->bugs, find->lints, find->lint_fail);
}

static enum status run(int argc, char **argv)
{
	struct find_command find = { .found = json_array() };
	enum status status = parse(&find, argc, argv);

	if (status == STATUS_OK)
		status = find_all(&find);
	json_decref(find.found);
	return status;
}

const struct command cmd_find = {
	.summary = "what the checker found in the runs of a trace",
	.usage =
	"usage: flashtwin find [T.twin] [--class C] [--json] [--lint-fail]\n\n"
	"Lists the findings of runs that were recorded with --check: class, launch, threads, both\n"
	"accesses with their lines, why it is a hazard and what usually fixes it. Without a\n"
	"trace, those of the last run. Exit code 0: none, 4: some.\n\n",
	.examples =
	"  flashtwin find t.twin\n"
	"  flashtwin find t.twin --class race-shared --json\n",
	.run = run,
};
