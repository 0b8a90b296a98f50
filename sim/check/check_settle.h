/* check_settle.h - writes that are judged when they have happened. Private to the checker. */
#ifndef CHECK_SETTLE_H
#define CHECK_SETTLE_H

struct access;
struct check;
struct check_report;

/* The access writes and races so, unless it leaves what was there. */
void check_wait(const struct access *, const struct check_report *);
/* Judges the write that is waiting. */
void check_settle(struct check *);

#endif
