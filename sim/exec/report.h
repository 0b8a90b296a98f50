/* report.h - describes in one line where a launch got stuck or faulted. Private to sim/. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stddef.h>

struct worker;

void report_deadlock(const struct worker *, char *text, size_t bytes);
void report_fault(const struct worker *, char *text, size_t bytes);

#endif
