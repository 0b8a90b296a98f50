/* kinds.h - how labs of a kind are graded: "kernel", or questions, or vectors. */
#ifndef KINDS_H
#define KINDS_H

#include "tui/lab/grade/grade.h"

struct lab_kind {
	const char *name;               /* "kind" in lab.json */
	/* As grade_submission(): calls lab_result_sum() at the end. */
	enum status (*grade)(const struct lab *, const struct grade_options *, struct lab_result *);
	/* Checks for `lab check` besides the starter, the solution and the mutants: prints lines
	 * that begin with `lead` and adds to *wrong. NULL: none. */
	enum status (*check)(const struct lab *, const char *secret, const char *lead, int *wrong);
	/* Adds to what `lab start` has copied to a folder; student may be NULL. NULL: nothing. */
	enum status (*start)(const struct lab *, const char *student, const char *folder);
	bool margin;                    /* `lab check` looks at the solution's errors */
	const char *solution;           /* its file in staff/ */
};

/* Whether what `lab start` makes depends on the student. */
bool lab_has_student(const struct lab *);

/* INTERNAL if lab.json names a kind that does not exist. */
enum status lab_kind_find(const struct lab *, const struct lab_kind **out);

#endif
