/* check_reach.h - which buffers a launch can access. Private to the checker. */
#ifndef CHECK_REACH_H
#define CHECK_REACH_H

#include <stdbool.h>
#include <stdint.h>

struct check;

/* A launch begins: marks the buffers that its arguments point to. False: out of memory to record
 * accesses to them. */
bool check_reach_begin(struct check *);
/* Whether the launch can access an address in device memory whose granule is not marked yet. Called
 * by a simulated thread; ends the launch if out of memory. */
bool check_reach(struct check *, uintptr_t address);

/* Marks the heap of kernels, if there is one. False: out of memory to record accesses to it. */
bool check_reach_heap(struct check *);

#endif
