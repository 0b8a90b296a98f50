/* references.h - what computes the expected values of a case, in float64.
 *
 * Only called in a process of its own, after the student's kernel has ended: see judge.h.
 */
#ifndef REFERENCES_H
#define REFERENCES_H

#include <math.h>

#include "tui/lab/case/lab_case.h"

/* An expected value for which any other is right too. */
#define LAB_ANY NAN

/* What a reference computes from and to, under the names that it uses. */
struct reference_job {
	const struct lab_case *c;
	double *expected[MAX_LAB_ARRAYS];       /* of outputs, as in c->arrays; else NULL */
	const char *missing;                    /* the first name that was not found */
};

/* Computes all of job->expected. INTERNAL if lab.json names no reference that exists, or it needs
 * an array or size that the lab does not have. */
enum status reference_run(struct reference_job *);

/* For references: an array of the lab, by the reference's name for it. NULL, and job->missing is
 * set, if the lab has none. */
const struct case_array *reference_array(struct reference_job *, const char *name);
double *reference_output(struct reference_job *, const char *name);
/* The same, but the lab need not have this output: NULL then is no error. */
double *reference_optional(struct reference_job *, const char *name);
/* A size or a scalar; 0, and job->missing is set, if there is none. */
double reference_size(struct reference_job *, const char *name);
/* Element i of an input. */
double reference_value(const struct case_array *, size_t i);

typedef void reference_fn(struct reference_job *);
reference_fn reference_softmax_rows, reference_online_softmax, reference_safe_softmax,
	reference_max_and_sum, reference_decode_partials, reference_combine, reference_gqa,
	reference_paged;

/* The program of an instructor: labs/README.md says what it gets. */
enum status reference_program(struct reference_job *, const char *program);

#endif
