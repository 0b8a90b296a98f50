/* check_find.h - reporting findings. Private to the checker. */
#ifndef CHECK_FIND_H
#define CHECK_FIND_H

#include <stdint.h>

struct check;
struct check_report;

/* Adds a finding, or counts it with those of the same class and sites. */
void check_report(struct check *, const struct check_report *);
/* The read of this word at pc, found uninit, is explained by a race. */
void check_excuse(struct check *, uintptr_t pc, uintptr_t word);
void check_find_free(struct check *);

#endif
