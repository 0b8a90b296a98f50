/* counters.h - what each launch of a checked device did with memory, barriers and branches.
 *
 * Told by the checker of every access, basic block and meeting of a running launch; counts bytes
 * itself and leaves requests of warps to sim/check/requests.h. One launch at a time. What the
 * counters mean is in doc/counters.md.
 */
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct check_launch;
struct counters;
struct row_counters;
struct lane;
struct warp;

struct counters *counters_create(void);
void counters_free(struct counters *);                  /* NULL is fine */

void counters_launch_begin(struct counters *, const struct check_launch *);
/* counted: the calls below were made. Lines are known in any case. */
void counters_launch_end(struct counters *, bool counted);

/* --- of a running launch; pc: return address of the hook --- */

/* A load or store of the checker's memory; memory of the thread's own is left out. */
void counters_access(struct counters *, const struct lane *, uintptr_t address, size_t bytes,
		     bool write, uintptr_t pc);
void counters_atomic(struct counters *, uintptr_t address);
/* The lane enters a basic block. */
void counters_block(struct counters *, const struct lane *, uintptr_t pc);
/* A block takes the place of another, or a barrier of its threads is complete. */
void counters_block_begin(struct counters *, struct block *);
void counters_barrier(struct counters *, struct block *);
/* A collective of these lanes is complete. */
void counters_collective(struct counters *, struct warp *, uint32_t lanes, bool shuffle);

/* --- results --- */

/* Of every launch so far, source lines resolved; good until the next call of anything here. */
size_t counters_list(struct counters *, const struct row_counters **out);

#endif
