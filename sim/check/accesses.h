/* accesses.h - the loads and stores of the blocks of a launch that are to be recorded.
 *
 * The counters report each access with the request that it belongs to. Requests are numbered when
 * they are taken, in an order that does not depend on the seed. One launch runs at a time.
 */
#ifndef SIM_ACCESSES_H
#define SIM_ACCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/check/requests.h"

struct accesses;
struct block_range;
struct lane;
struct lines;
struct row_memory;

struct access_request {
	uint64_t block;                 /* linear */
	unsigned warp;
	enum request_kind kind;
	uintptr_t pc;                   /* return address of the hook */
	uint32_t meeting;               /* of the warp, since which it was made */
	bool alone;                     /* of a lane that ran too far ahead of its warp */
	bool bulk;                      /* a part of a bulk copy */
};

struct accesses *accesses_create(void);
void accesses_free(struct accesses *);                  /* NULL is allowed */

/* Blocks of the next launch; count 0: none. The ranges must stay valid until it ends. */
void accesses_watch(struct accesses *, const struct block_range *, size_t count);
/* Whether the next launch has such blocks. */
bool accesses_watching(const struct accesses *);
/* The launch begins, and ends; device memory begins at `base`. */
void accesses_begin(struct accesses *, uintptr_t base);
void accesses_end(struct accesses *);

/* --- of the running launch --- */

uint64_t accesses_block(const struct lane *);           /* its number in the grid */
bool accesses_want(const struct accesses *, const struct lane *);
/* Returns the number of a new request, from 1 on. */
uint32_t accesses_request(struct accesses *, const struct access_request *);
/* place: that in the request, which is the lane's number unless the request is of a bulk copy. */
void accesses_add(struct accesses *, uint32_t request, const struct lane *, unsigned place,
		  uintptr_t address, size_t bytes);
/* The last access has happened: a store's value can be read. */
void accesses_settle(struct accesses *);
/* The value of the last access is not in memory yet. */
void accesses_unknown(struct accesses *);
/* The lane enters a basic block. */
void accesses_step(struct accesses *, const struct lane *, uintptr_t pc);

/* --- results --- */

/* Of the last launch; valid until the next one begins. Lines are found by `lines`. */
void accesses_take(struct accesses *, struct lines *, struct row_memory *out);

#endif
