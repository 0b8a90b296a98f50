/* result.h - the result of grading one submission: what every format is made from.
 *
 * A student's result of a secret case has no values: lab_result_redact() removes them.
 */
#ifndef RESULT_H
#define RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "tui/lab/case/lab.h"

struct case_result {
	const struct lab_family *family;        /* NULL in labs without families */
	enum lab_part part;                     /* PART_PUBLIC or PART_SECRET */
	int index;                              /* in its family and part */
	char *title;                            /* "late-maximum 1" */
	char *sizes;                            /* "rows 3, n 203" */
	bool passed;                            /* outputs and invariants */
	int findings;                           /* failures by the checker */
	int limits, limits_met;                 /* of counters; met only if it passed */
	double margin;
	json_t *failures;                       /* see failure.h; each also has "view", or "" */
	char *printed;                          /* by the kernel; may be "" */
};

struct part_result {
	bool graded;
	double points, max;
	int passed, count;              /* cases; for `structure` pairs of a case and a limit */
};

struct lab_result {
	const struct lab *lab;
	char *file, *student;           /* student NULL: not given */
	bool compiled;
	char *messages;                 /* of the compiler, or why not */
	const char *refused;            /* why a file that can be read is not graded; NULL: it is */
	char *notes;                    /* lines of the kind of lab, for people; NULL: none */
	struct part_result parts[PART_COUNT];
	double points, max;             /* of the parts that were graded */
	struct case_result *cases;
	int case_count;
	bool redacted;                  /* nothing else to see about secret cases */
};

/* Adds an empty case. */
struct case_result *lab_result_add(struct lab_result *, enum lab_part,
				   const struct lab_family *, int index);
/* After the last case: parts and points. Names that may come from a student become visible text. */
void lab_result_sum(struct lab_result *);
/* Whether everything that was graded has full points. */
bool lab_result_passed(const struct lab_result *);
/* Removes what a student must not see: values, sizes, traces and output of secret cases. */
void lab_result_redact(struct lab_result *);
void lab_result_free(struct lab_result *);

#endif
