/* grade_case.h - grades one case: runs it, judges it, records it again if it failed. */
#ifndef GRADE_CASE_H
#define GRADE_CASE_H

#include "tui/lab/result/result.h"
#include "tui/lab/run/lab_run.h"

struct grading {
	struct lab_result *result;
	struct case_result *at;         /* the case that is graded */
	struct submission *submission;
	struct submission *recorded;    /* the same with named points; made for the first trace */
	struct submission_options options;
	const char *traces;             /* a folder; NULL: none */
	bool staff;
	bool progress;                  /* see struct grade_options */
};

/* Grades g->at. INTERNAL or INTERRUPTED if that is impossible. */
enum status grade_case(struct grading *, uint64_t seed);

/* Appends failures for findings of the checker, returns how many; and for counters above the lab's
 * limits, returning how many limits hold. `findings` and `counters` as in struct outcome. */
int judge_findings(const json_t *findings, json_t *failures);
enum status judge_structure(const struct lab_case *, const json_t *counters, json_t *failures,
			    int *met);
/* Adds to each failure the command that shows it in a trace, as "view". */
void failures_point(json_t *failures, const char *trace);

#endif
