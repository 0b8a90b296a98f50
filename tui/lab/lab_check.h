/* lab_check.h - `flashtwin lab check`: are the labs themselves right? */
#ifndef LAB_CHECK_H
#define LAB_CHECK_H

#include "tui/lab/case/failure.h"
#include "tui/lab/case/lab.h"
#include "tui/launch/sandbox.h"

struct check_options {
	enum sandbox_mode sandbox;
};

/* Mutants of all labs; killed: in a public and in a secret case. */
struct check_totals {
	int mutants, killed;
	int by[BY_COUNT], by_alone[BY_COUNT];   /* which parts of the grading noticed */
};

/* Prints a table, and a line for each fault; adds to the totals. DIFFERS, without a message, if
 * there are faults. */
enum status lab_check(const struct lab *, const struct check_options *, struct check_totals *);
void check_totals_print(const struct check_totals *);

#endif
