/* lab_run.h - compiles a submission once, and runs it on cases: one process and sandbox for each.
 *
 * The compiled object is read-only for the kernel. Nothing of the grader is in a case's process but
 * the inputs of that case. What the kernel prints is caught.
 */
#ifndef LAB_RUN_H
#define LAB_RUN_H

#include <jansson.h>
#include <stdbool.h>

#include "tui/lab/case/lab_case.h"
#include "tui/launch/sandbox.h"

struct submission;

struct submission_options {
	const char *file;               /* the student's */
	enum sandbox_mode sandbox;
	bool points;                    /* also makes what records the file's POINTs */
	int jobs;                       /* as in struct grade_options */
	bool gpu;                       /* also compiles for a GPU, which there must be */
};

/* Compiles every kernel of the lab's launches. COMPILE if that fails for a reason in the file (also
 * for a missing kernel), with *messages, which the caller frees, as the compiler wrote them;
 * INTERNAL for the grader's fault; NO_GPU; INTERRUPTED. Call submission_free() after a failure
 * too. */
enum status submission_build(const struct lab *, const struct submission_options *,
			     struct submission **out, char **messages);
void submission_free(struct submission *);

/* How a case ended. */
struct outcome {
	/* OK, FINDING: the outputs are in the case's `result`s. DEVICE, STEPS, LIMIT, COMPILE, or
	 * INTERNAL: what the kernel did, in `message`. */
	enum status status;
	bool valid;                     /* there are outputs */
	char *message;
	char *printed;                  /* what the kernel printed; may be "" */
	json_t *findings, *counters;    /* lists; NULL: none */
};

/* Runs a case; with `trace`, records it there. The outcome is the student's; the status is that of
 * the grader: INTERNAL or INTERRUPTED. Call outcome_free(). */
enum status submission_run(struct submission *, struct lab_case *, const char *trace,
			   struct outcome *);
/* The same on the simulator and a GPU, outside of the sandbox: DIFFERS, with the differences in
 * `message`, if outputs differ. NO_GPU, too, is the grader's. */
enum status submission_run_both(struct submission *, struct lab_case *, struct outcome *);
void outcome_free(struct outcome *);

#endif
