/* grade_case.c - one case from its seed to its failures; see grade_case.h. */
#include "tui/lab/grade/grade_case.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* The finding in the line that a message about an error names; NULL: none. */
static json_t *find_fault(json_t *failures, const char *message)
{
	json_t *found = NULL;

	for (size_t i = 0; i < json_array_size(failures) && !found; i++) {
		json_t *failure = json_array_get(failures, i);
		const char *class = failure_text(failure, "finding");
		char *line = xasprintf(":%lld:", (long long)json_integer_value(
			json_object_get(failure, "line")));

		if (strstr(message, line) && (strcmp(class, "oob") == 0
					      || strcmp(class, "misaligned") == 0))
			found = failure;
		free(line);
	}
	return found;
}

/* An error that a finding explains is part of the finding. The address in the message means nothing
 * to anyone, as it differs in each run. */
static void add_end(const struct outcome *o, json_t *failures)
{
	size_t i = 0, last = sizeof ends / sizeof ends[0] - 1;
	const char *address = strstr(o->message, ": access to 0x");
	/* A fault that the checker saw too. */
	enum status status = o->status == STATUS_FINDING ? STATUS_DEVICE : o->status;
	json_t *fault = status == STATUS_DEVICE ? find_fault(failures, o->message) : NULL;

	if (fault) {
		char *why = xasprintf("%s; it ends the launch with an error, on a GPU too",
				      failure_text(fault, "why"));

		json_object_set_new(fault, "why", json_string(why));
		free(why);
		return;
	}
	while (i < last && ends[i].status != status)
		i++;
	json_array_insert_new(failures, 0, failure_new(BY_OUTPUT, ends[i].kind, ends[i].why,
		ends[i].next, "%.*s", address ? (int)(address - o->message)
		: (int)strlen(o->message), o->message));
}

static bool has_finding(const json_t *failures, const char *class)
{
	for (size_t i = 0; i < json_array_size(failures); i++)
		if (strncmp(failure_text(json_array_get(failures, i), "finding"), class,
			    strlen(class)) == 0)
			return true;
	return false;
}

/* Threads that do not wait for each other make any result wrong: the family's reason would send the
 * student to another place. */
static void blame_order(json_t *failures)
{
	bool race = has_finding(failures, "race");

	if (!race && !has_finding(failures, "barrier"))
		return;
	for (size_t i = 0; i < json_array_size(failures); i++) {
		json_t *failure = json_array_get(failures, i);

		if (failure_by(failure) != BY_OUTPUT && failure_by(failure) != BY_INVARIANT)
			continue;
		json_object_set_new(failure, "why", json_sprintf(
			"probably a consequence of the %s above", race ? "race" : "barrier"));
		json_object_set_new(failure, "next", json_string(
			"mend that first, then grade again"));
	}
}

static void move_all(json_t *to, json_t *from)
{
	json_array_extend(to, from);
	json_decref(from);
}

/* What is read or written outside of the arrays is counted too: the finding is enough to see. */
static enum status judge_limits(const struct lab_case *c, const struct outcome *o,
				struct case_result *at)
{
	json_t *failures = json_array();
	enum status status = judge_structure(c, o->counters, failures, &at->limits_met);

	if (status == STATUS_OK && !has_finding(at->failures, "oob"))
		json_array_extend(at->failures, failures);
	json_decref(failures);
	return status;
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
		status = judge_limits(c, o, at);
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
static enum status record_to(struct grading *g, struct lab_case *c, const char *trace)
{
	struct case_result *at = g->at;
	struct outcome outcome;
	enum status status;

	mkdir(g->traces, 0777);
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
	return status;
}

/* A case that has lost nothing loses its trace of an earlier grading. */
static enum status record(struct grading *g, struct lab_case *c)
{
	struct case_result *at = g->at;
	enum status status = STATUS_OK;
	char *trace;

	if (!g->traces || (at->part == PART_SECRET && !g->staff))
		return STATUS_OK;
	trace = xasprintf("%s/%s%s-%d.twin", g->traces, at->part == PART_SECRET ? "secret-" : "",
			  at->family->name, at->index + 1);
	if (json_array_size(at->failures) > 0)
		status = record_to(g, c, trace);
	else
		unlink(trace);
	free(trace);
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
		blame_order(at->failures);
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
