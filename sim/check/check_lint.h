/* check_lint.h - lints specific to one kernel. Private to the checker. */
#ifndef CHECK_LINT_H
#define CHECK_LINT_H

struct check;

/* The launch has ended without a fault: reports reads that it should not have made. */
void check_lints(struct check *);

#endif
