/* check_settle.h - racing writes, judged after they have happened. Private to the checker. */
#ifndef CHECK_SETTLE_H
#define CHECK_SETTLE_H

struct access;
struct check;
struct check_report;

/* Keeps the report of a racing write until check_settle(). */
void check_wait(const struct access *, const struct check_report *);
/* The pending write, if any, has happened: reports its races, as lints if the value did not
 * change. */
void check_settle_write(struct check *);
/* The same, and volatile reads that wait for a test (check_volatile.h) were none. */
void check_settle(struct check *);

#endif
