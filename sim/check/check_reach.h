/* check_reach.h - which buffers a launch may touch. Private to the checker. */
#ifndef CHECK_REACH_H
#define CHECK_REACH_H

#include <stdbool.h>
#include <stdint.h>

struct check;

/* The launch may touch what its arguments point to, and what pointers there lead to. */
void check_reach_begin(struct check *);
/* Whether that holds for an address in device memory whose granule is not known to be reached. */
bool check_reach(struct check *, uintptr_t address);

#endif
