/* requests.h - warp requests: combines the accesses and branches that a warp's lanes make together.
 *
 * Lanes run one after the other here. Accesses that a GPU would make at once are combined by code
 * address and by the iterations of the enclosing loops, which each lane counts. A request is
 * evaluated when all lanes that have not exited took part, or when the warp meets again.
 */
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct accesses;
struct lane;
struct requests;
struct warp;

enum request_kind {
	REQUEST_LOAD, REQUEST_STORE,                    /* global memory */
	REQUEST_SHARED_LOAD, REQUEST_SHARED_STORE,
	REQUEST_BRANCH,                                 /* address: of the next block */
	REQUEST_ATOMIC, REQUEST_SHARED_ATOMIC,          /* not summed; only to be recorded */
	REQUEST_KINDS
};

/* Sums over requests; for BRANCH, `count` includes only divergent ones. */
struct request_sums {
	uint64_t count[REQUEST_KINDS];
	uint64_t sectors[2];            /* LOAD, STORE: distinct 32-byte sectors of each request */
	uint64_t conflicts[2];          /* shared ones: passes over the banks beyond the first */
	uint64_t left_out;              /* accesses of lanes that ran too far ahead of their warp */
};

/* Adds to `sums`, and to `accesses` what that wants to have; both outlive it. */
struct requests *requests_create(struct request_sums *sums, struct accesses *);
void requests_free(struct requests *);                  /* NULL is allowed */

/* One lane's access of `bytes` bytes (at most 16) at pc; for BRANCH, the block it goes to from
 * pc. */
void requests_add(struct requests *, const struct lane *, enum request_kind, uintptr_t pc,
		  uintptr_t address, size_t bytes);
/* A bulk copy by the lane of bytes that are a multiple of 16. It is evaluated as requests of a warp
 * whose lanes copy 16 bytes each. */
void requests_bulk(struct requests *, const struct lane *, enum request_kind, uintptr_t pc,
		   uintptr_t address, size_t bytes);
/* The lane goes from the end of one basic block to another. */
void requests_step(struct requests *, const struct lane *, uintptr_t from, uintptr_t to);
/* All lanes of the warp have met. */
void requests_meet(struct requests *);
/* The warp is done: evaluates the remaining requests. */
void requests_end(struct requests *);

#endif
