/* counters.h - counts memory accesses, barriers and branches of each launch of a checked device.
 *
 * The checker reports every access, basic block and barrier of a running launch. Bytes are counted
 * here, requests of warps in sim/check/requests.h. One launch runs at a time. doc/counters.md
 * explains the counters.
 */
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct accesses;
struct block;
struct check_launch;
struct counters;
struct row_counters;
struct row_memory;
struct lane;
struct warp;

struct counters *counters_create(void);
void counters_free(struct counters *);                  /* NULL is allowed */

/* Whose accesses of the next launch are recorded: sim/check/accesses.h. */
struct accesses *counters_accesses(struct counters *);
void counters_launch_begin(struct counters *, const struct check_launch *);
/* counted: the calls below were made. Lines are counted in any case. */
void counters_launch_end(struct counters *, bool counted);

/* --- of a running launch; pc: return address of the hook --- */

/* A load or store of device or shared memory; others are ignored. */
void counters_access(struct counters *, const struct lane *, uintptr_t address, size_t bytes,
		     bool write, uintptr_t pc);
/* The lane makes a bulk copy, of which this is what it reads or writes. */
void counters_bulk(struct counters *, const struct lane *, uintptr_t address, size_t bytes,
		   bool write, uintptr_t pc);
/* whole: it is not the store or load that counters_access() gets as well. */
void counters_atomic(struct counters *, const struct lane *, uintptr_t address, size_t bytes,
		     bool whole, uintptr_t pc);
/* The last access has no value in memory yet. */
void counters_unknown(struct counters *);
/* The lane enters a basic block. */
void counters_block(struct counters *, const struct lane *, uintptr_t pc);
/* A block begins, perhaps in the place of another; a barrier of its threads is complete. */
void counters_block_begin(struct counters *, struct block *);
void counters_barrier(struct counters *, struct block *);
/* A collective of these lanes is complete. */
void counters_collective(struct counters *, struct warp *, uint32_t lanes, bool shuffle);

/* --- results --- */

/* Of every launch so far, with source lines; valid until the next call of any function here. */
size_t counters_list(struct counters *, const struct row_counters **out);
/* What was recorded of the last launch; valid until the next one begins. */
void counters_memory(struct counters *, struct row_memory *out);

#endif
