/* judge.h - compares the outputs of a case with what is expected, in a process of its own.
 *
 * Expected values are computed after the student's kernel has ended, and never in this process,
 * whose memory the next kernel's process inherits.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include "tui/lab/case/failure.h"
#include "tui/lab/case/lab_case.h"

struct verdict {
	json_t *failures;               /* a list */
	/* The largest error as a part of the tolerance: at most 1 if every output is right. */
	double margin;
};

/* Outputs and those invariants that need no other run. INTERNAL if the lab is at fault. The caller
 * frees out->failures. */
enum status judge_case(const struct lab_case *, struct verdict *out);

/* In the judge's process. */
void judge_outputs(const struct lab_case *, double *const *expected, struct verdict *);
/* INTERNAL for a rule with an unknown name, or that names no array. */
enum status judge_invariants(const struct lab_case *, json_t *failures);
/* Adds the element to a failure, and the thread that writes it, if the lab says which. */
void judge_point(const struct lab_case *, const struct case_array *, size_t i, json_t *failure);
/* "out[1, 4]" of element i; the caller frees it. */
char *judge_place(const struct case_array *, size_t i);

#endif
