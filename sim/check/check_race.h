/* check_race.h - whether two accesses race. Private to the checker. */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/check/finding.h"

struct access;
struct lane;

/* Whether a segment is ordered before the current access of `lane`. strong: the access is a write
 * or a volatile read. */
bool check_ordered(struct check *, const struct lane *, uint32_t segment, bool strong);
/* Reports a race of the access with a recorded one. */
void check_race(const struct access *, uint64_t record, bool other_writes);
/* A report about the access, of this class. */
struct check_report check_report_of(const struct access *, enum finding_class);

#endif
