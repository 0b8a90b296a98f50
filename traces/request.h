/* request.h - what one request of a warp costs, by CUDA's rules.
 *
 * A request is what a warp's lanes load or store by one instruction at a time. Used by the counters
 * that form requests, by the verification of traces, and by the screen that draws one.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#define REQUEST_LANES 32
#define REQUEST_SECTOR 32               /* bytes; the unit that memory moves */
#define REQUEST_LINE 128                /* bytes of a cache line */
#define REQUEST_BANKS 32
#define REQUEST_WORD 4                  /* bytes of a bank's word */
#define REQUEST_MAX_BYTES 16            /* of one lane */

/* In all of these: address and bytes by lane; `lanes`: mask of active lanes. Addresses may count
 * from any multiple of REQUEST_LINE. */

/* Distinct aligned units of `unit` bytes, REQUEST_SECTOR or REQUEST_LINE, that are accessed. */
unsigned request_units(const uint64_t *address, const uint8_t *bytes, uint32_t lanes,
		       unsigned unit);
/* The same, as multiples of `unit`, in the order of lanes; out has 2 * REQUEST_LANES. */
unsigned request_find_units(const uint64_t *address, const uint8_t *bytes, uint32_t lanes,
			    unsigned unit, uint64_t *out);
/* Distinct bytes among those accessed. */
unsigned request_distinct(const uint64_t *address, const uint8_t *bytes, uint32_t lanes);

/* How many lanes, from lane 0, 32, ... on, access shared memory at once: 32, or for accesses of 8
 * bytes half a warp and of 16 bytes a quarter; loads by twice as many lanes if neighbouring lanes,
 * or lanes two apart, access the same address. */
unsigned request_group(const uint64_t *address, const uint8_t *bytes, uint32_t lanes, bool load);
/* Passes over the banks beyond the first of each group; 0: no conflict. There are 32 banks of 4
 * bytes; lanes that access one word share it. */
unsigned request_conflicts(const uint64_t *address, const uint8_t *bytes, uint32_t lanes,
			   bool load);

struct row_request;     /* traces/row.h */

struct request_cost {
	unsigned bytes;                 /* distinct ones */
	unsigned sectors, lines;        /* of global memory; else 0 */
	unsigned conflicts;             /* of shared memory, else 0; an atomic counts as a store */
};
/* Buffers lie at multiples of 256 bytes. */
struct request_cost request_cost(const struct row_request *);

#endif
