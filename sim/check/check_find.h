/* check_find.h - reporting findings. Private to the checker. */
#ifndef CHECK_FIND_H
#define CHECK_FIND_H

#include <stdint.h>

struct check;
struct check_report;

/* Adds a finding, or increments the count of the one with the same class and sites. */
void check_report(struct check *, const struct check_report *);
/* A race explains the uninit read of this word at pc. */
void check_excuse(struct check *, uintptr_t pc, uintptr_t word);
void check_find_free(struct check *);

#endif
