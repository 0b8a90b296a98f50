/* requests.h - what the lanes of a warp do together: accesses that form one request, branches.
 *
 * Lanes run one after the other here; what they would do at once is put together by place and by
 * the rounds of the loops around it, which each lane counts. A request is judged when all lanes
 * that have not exited took part, or when the warp meets again.
 */
#ifndef SIM_REQUESTS_H
#define SIM_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lane;
struct requests;
struct warp;

enum request_kind {
	REQUEST_LOAD, REQUEST_STORE,                    /* global memory */
	REQUEST_SHARED_LOAD, REQUEST_SHARED_STORE,
	REQUEST_BRANCH,                                 /* address: of the block that came next */
	REQUEST_KINDS
};

/* Sums over requests; of BRANCH `count` are divergent ones only. */
struct request_sums {
	uint64_t count[REQUEST_KINDS];
	uint64_t sectors[2];            /* LOAD, STORE: different 32-byte sectors of each request */
	uint64_t conflicts[2];          /* shared ones: passes over the banks beyond the first */
	uint64_t left_out;              /* accesses of lanes that ran too far ahead of their warp */
};

/* Adds to `sums`, which outlives it. */
struct requests *requests_create(struct request_sums *sums);
void requests_free(struct requests *);                  /* NULL is fine */

/* One lane's access of `bytes` bytes (at most 16) at the place pc; of BRANCH, its way from
 * there. */
void requests_add(struct requests *, const struct lane *, enum request_kind, uintptr_t pc,
		  uintptr_t address, size_t bytes);
/* The lane goes from the end of one basic block to another. */
void requests_step(struct requests *, const struct lane *, uintptr_t from, uintptr_t to);
/* All lanes of the warp have met. */
void requests_meet(struct requests *);
/* Judges what is left: the warp is done. */
void requests_end(struct requests *);

/* --- one request by CUDA's rules; address and bytes per lane, lanes that take part in `lanes`
 * --- */

unsigned request_sectors(const uintptr_t *address, const uint8_t *bytes, uint32_t lanes);
/* 32 banks of 4 bytes; lanes that want one word share it; accesses of 8 bytes go by halves of the
 * warp, of 16 by quarters, and loads by twice that when neighbours, or lanes two apart, want the
 * same. 0: none. */
unsigned request_conflicts(const uintptr_t *address, const uint8_t *bytes, uint32_t lanes, bool load);

#endif
