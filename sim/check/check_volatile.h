/* check_volatile.h - volatile reads, which test flags or read data. Private to the checker. */
#ifndef CHECK_VOLATILE_H
#define CHECK_VOLATILE_H

#include <stdbool.h>

struct access;

/* Keeps a volatile read of allocated memory until check_release_held(). */
void check_hold(const struct access *);
/* Judges and records what is held. tested: its thread has entered a basic block since. */
void check_release_held(bool tested);

#endif
