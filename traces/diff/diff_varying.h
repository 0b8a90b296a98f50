/* diff_varying.h - places whose values vary from run to run, which a comparison leaves out.
 *
 * A comparison of two runs that should differ there, and only there, collects them; a comparison of
 * other runs of the same operations leaves them out. engine/replay/replay_clock.c does so for what
 * depends on a kernel's clock.
 */
#ifndef DIFF_VARYING_H
#define DIFF_VARYING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digests of places, ascending after diff_varying_sort(). Zero-initialized: none. */
struct diff_varying {
	uint64_t *places;
	size_t count, capacity;
};

/* A value, by the address and name that a report has for it, and its index there; -1: none. */
void diff_varying_add(struct diff_varying *, const char *address, const char *name, int64_t index);
/* Call it when all are added. */
void diff_varying_sort(struct diff_varying *);
bool diff_varying_has(const struct diff_varying *, const char *address, const char *name,
		      int64_t index);
void diff_varying_free(struct diff_varying *);

#endif
