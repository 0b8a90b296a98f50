/* check_lane.h - what the checker keeps in every simulated thread. Private to sim/.
 *
 * The life of a thread is cut into segments wherever it synchronizes. Segments are numbered in the
 * order they begin, 32 to a slice (one for each lane of a warp), so that comparing numbers settles
 * most questions of order. See sim/check/check_internal.h.
 */
#ifndef SIM_CHECK_LANE_H
#define SIM_CHECK_LANE_H

#include <stdint.h>

struct check_memory_order;

struct check_lane {
	uint64_t record;                /* of an access by it now at place 0 (sim/check/check_internal.h) */
	uint32_t segment;               /* it is in now */
	uint32_t block_first;           /* the first of its block */
	uint32_t bound;                 /* those of its block below have ended before this one */
	uint32_t warp_bound;            /* the same of its warp */
	uint32_t *known;                /* and of single lanes of its warp: [32], NULL: none */
	uintptr_t pc;                   /* of the basic block it was in when it met others last */
	struct check_memory_order *order;       /* fences and atomics; NULL: none so far */
};

#endif
