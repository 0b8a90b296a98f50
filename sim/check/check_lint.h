/* check_lint.h - the lints that kernels have of their own. Private to the checker. */
#ifndef CHECK_LINT_H
#define CHECK_LINT_H

struct check;

/* The launch has ended well: what it should not have read is told. */
void check_lints(struct check *);

#endif
