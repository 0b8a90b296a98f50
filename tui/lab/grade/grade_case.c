/* grade_case.c - one case from its seed to its failures; see grade_case.h. */
#include "tui/lab/grade/grade_case.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "tui/lab/case/failure.h"
#include "tui/lab/judge/invariants.h"
#include "tui/lab/judge/judge.h"
#include "tui/lab/run/gpu.h"

/* What it says about a kernel that it ended like this. */
static const struct {
	enum status status;
	const char *kind, *why, *next;
} ends[] = {
	{ STATUS_DEVICE, "the launch failed",
	  "the kernel did something that ends it with an error on a GPU too",
	  "look at the line that the message names, and at the sizes of this case" },
	{ STATUS_STEPS, "too many steps",
	  "the kernel does far more work than the task needs, or never ends",
	  "look at the loops: what makes their conditions false?" },
	{ STATUS_LIMIT, "too long, or too much memory",
	  "the kernel waits, or uses memory without limit",
	  "look at the loops, and at what the kernel calls" },
	{ STATUS_COMPILE, "the kernel cannot be launched",
	  "its parameters are not those of the task",
	  "take name and parameters of the kernel from the starter" },
	{ STATUS_IO, "too much is printed",
	  "what a case prints is limited to 1 MiB",
	  "print from one thread of one block, or use POINT and look at the trace" },
	{ STATUS_INTERNAL, "the kernel's process ended",
	  "the kernel ended its process, or damaged it; a launch must come to its end",
	  "run it with flashtwin launch --check, and look for wild stores" },
};

static void add_end(const struct outcome *o, json_t *failures)
{
	size_t i = 0, last = sizeof ends / sizeof ends[0] - 1;
	/* A fault that the checker saw too. */
	enum status status = o->status == STATUS_FINDING ? STATUS_DEVICE : o->status;

	while (i < last && ends[i].status != status)
		i++;
	json_array_insert_new(failures, 0, failure_new(BY_OUTPUT, ends[i].kind, ends[i].why,
						       ends[i].next, "%s", o->message));
}

static void move_all(json_t *to, json_t *from)
{
	json_array_extend(to, from);
	json_decref(from);
}

static enum status judge_valid(struct grading *g, struct lab_case *c, const struct outcome *o)
{
	struct case_result *at = g->at;
	struct verdict verdict;
	enum status status = judge_case(c, &verdict);
	size_t before = json_array_size(at->failures);

	if (verdict.failures)
		move_all(at->failures, verdict.failures);
	at->margin = verdict.margin;
	/* Other runs of a kernel that is wrong say nothing more. */
	if (status == STATUS_OK && json_array_size(at->failures) == before)
		status = reruns_check(g->submission, c, at->failures);
	at->passed = status == STATUS_OK && json_array_size(at->failures) == before;
	if (status == STATUS_OK && at->passed)
		status = judge_structure(c, o->counters, at->failures, &at->limits_met);
	/* A kernel with a fault is kept away from the driver, outside of the sandbox. */
	if (status == STATUS_OK && g->options.gpu && at->passed && at->findings == 0)
		status = gpu_compare(g->submission, c, at->failures);
	return status;
}

/* Compiling named points doubles the time, and most submissions need no trace. */
static enum status build_recorded(struct grading *g)
{
	char *messages = NULL;
	enum status status = STATUS_OK;

	if (!g->recorded)
		status = submission_build(g->result->lab, &g->options, &g->recorded, &messages);
	free(messages);
	return status;
}

/* Runs again, recorded. A trace that cannot be made costs only the commands that would show it. */
static enum status record(struct grading *g, struct lab_case *c)
{
	struct case_result *at = g->at;
	char *trace, *folder;
	struct outcome outcome;
	enum status status;

	if (!g->traces || json_array_size(at->failures) == 0
	    || (at->part == PART_SECRET && !g->staff))
		return STATUS_OK;
	folder = xstrdup(g->traces);
	mkdir(folder, 0777);
	trace = xasprintf("%s/%s%s-%d.twin", folder, at->part == PART_SECRET ? "secret-" : "",
			  at->family->name, at->index + 1);
	status = build_recorded(g);
	if (status == STATUS_OK) {
		status = submission_run(g->recorded, c, trace, &outcome);
		outcome_free(&outcome);
	}
	if (status == STATUS_OK)
		failures_point(at->failures, trace);
	else if (status != STATUS_INTERRUPTED)
		status = STATUS_OK;
	error_clear();
	free(trace);
	free(folder);
	return status;
}

static enum status run_case(struct grading *g, struct lab_case *c)
{
	struct outcome outcome;
	struct case_result *at = g->at;
	enum status status;

	at->limits = g->result->lab->limit_count;
	free(at->sizes);
	at->sizes = lab_case_sizes(c);
	status = submission_run(g->submission, c, NULL, &outcome);
	if (status == STATUS_OK) {
		at->findings = judge_findings(outcome.findings, at->failures);
		if (outcome.valid)
			status = judge_valid(g, c, &outcome);
		else
			add_end(&outcome, at->failures);
		if (outcome.printed) {
			free(at->printed);
			at->printed = outcome.printed;
			outcome.printed = NULL;
		}
	}
	outcome_free(&outcome);
	return status == STATUS_OK ? record(g, c) : status;
}

enum status grade_case(struct grading *g, uint64_t seed)
{
	struct lab_case c;
	struct error_record error;
	enum status status = lab_case_make(g->result->lab, g->at->family, g->at->part,
					   g->at->index, seed, &c);

	if (status == STATUS_OK)
		status = run_case(g, &c);
	error_save(&error);
	lab_case_free(&c);
	error_restore(&error);
	return status;
}
