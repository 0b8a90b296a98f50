/* check_race.h - whether two accesses race. Private to the checker. */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/check/finding.h"

struct access;
struct lane;

/* Whether what `lane` does now comes behind a segment. strong: it is a write or a volatile read. */
bool check_ordered(const struct check *, const struct lane *, uint32_t segment, bool strong);
/* The access races with that of a record. */
void check_race(const struct access *, uint64_t record, bool other_writes);
/* What is to be told of the access, whose class this is. */
struct check_report check_report_of(const struct access *, enum finding_class);

#endif
