/* grade.h - grades one submission: compiles it, runs all cases, judges. */
#ifndef GRADE_H
#define GRADE_H

#include "tui/lab/result/result.h"
#include "tui/launch/sandbox.h"

struct grade_options {
	const char *file, *student;     /* student NULL: none */
	/* Where the secret is; NULL, and no `secret`: secret cases are not graded. It is read after
	 * the public cases, because what a kernel prints there is shown, and its process has a copy
	 * of this one's memory. */
	const char *secret_file;
	const char *secret;             /* the secret itself, for `lab check` */
	enum sandbox_mode sandbox;
	const char *traces;             /* a folder for traces of cases that fail; NULL: none */
	bool staff;                     /* traces of secret cases too */
	bool gpu;                       /* compare with a GPU too: see gpu.h */
	int jobs;                       /* gradings that share the machine; 0: this one only */
	bool progress;                  /* name each case on a terminal's stderr */
};

/* INTERNAL, INTERRUPTED or NO_GPU if there is no result; USAGE or IO for the file with the secret.
 * Call lab_result_free() in any case. */
enum status grade_submission(const struct lab *, const struct grade_options *,
			     struct lab_result *out);

/* The seed of all cases of a part. */
uint64_t grade_seed(const struct lab *, enum lab_part, const char *student, const char *secret);

/* For kinds of labs: whether there is a secret; the secret, which the caller frees (USAGE or IO if
 * its file is wrong); and all cases of a file that cannot be graded as wrong. */
bool grade_has_secret(const struct grade_options *);
enum status grade_secret(const struct grade_options *, char **out);
void grade_fail_all(struct lab_result *, bool secret);

#endif
