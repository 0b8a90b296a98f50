/* invariants.h - invariants that compare a case with other runs of the same kernel. */
#ifndef INVARIANTS_H
#define INVARIANTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"

struct lab_case;
struct submission;

/* Whether an invariant needs other runs. */
bool rerun_known(const char *name);
/* Runs what the lab's invariants of this kind need, after the case itself, and appends failures.
 * INTERNAL or INTERRUPTED as submission_run(). */
enum status reruns_check(struct submission *, const struct lab_case *, json_t *failures);

#endif
