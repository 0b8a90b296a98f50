/* check_cases.h - what `lab check` looks at in the cases of a lab of the kind "kernel". */
#ifndef CHECK_CASES_H
#define CHECK_CASES_H

#include "tui/lab/case/lab.h"

/* Texts are complete, and an output of zeros is wrong in every case. */
enum status check_cases(const struct lab *, const char *secret, const char *lead, int *wrong);

/* For any kind: every family has a reason and a next step. */
void check_families(const struct lab *, const char *lead, int *wrong);

#endif
