/* ranges.h - sets of byte ranges, kept sorted, disjoint and merged.
 *
 * Used by the recorder for the bytes that a launch wrote, or that changed while nothing was
 * recorded. The ranges of a set do not depend on the order of adding, so that digests over them can
 * be compared.
 */
#ifndef RANGES_H
#define RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t begin, end;            /* begin < end */
};

/* All zeros is the empty set. */
struct ranges {
	struct range *items;            /* ascending; owned, see ranges_clear() */
	size_t count, capacity;
};

void ranges_add(struct ranges *, uint64_t offset, uint64_t bytes);      /* 0 bytes: no effect */
uint64_t ranges_bytes(const struct ranges *);   /* in all ranges */
void ranges_clear(struct ranges *);             /* empties and frees */

#endif
