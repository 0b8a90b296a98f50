/* check.h - the checker: finds memory and ordering bugs in kernels that a simulated device runs.
 *
 * Checked kernels are compiled so that every load, store, array index and basic block calls a hook
 * (check_hooks.c). Device memory is one reserved address range (check_region.c). Shadow memory
 * records for every word which bytes are allocated and written, and who wrote and read it last. The
 * rules for races are in check_race.c, for barriers and masks in check_sync.c, and findings are in
 * check_find.c. The simulator reports synchronization through sim/exec/listener.h. Checked launches
 * run one at a time, on one OS thread; results do not change. Other folders include only this
 * header.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/kernel_table.h"
#include "sim/check/clock.h"

struct block_range;
struct check;
struct kernel_lint;
struct listener;
struct row_counters;
struct row_finding;
struct row_memory;

/* DEVICE with error_code() 2 when no range of addresses can be reserved. */
enum status check_create(struct check **out);
/* Reports leaks as lints from now on. */
void check_leaks_are_lints(struct check *);
/* How close buffers are if addresses are limited, as a message, valid until the next call; NULL:
 * they are as far apart as doc/checker.md says. */
const char *check_spacing(const struct check *);
void check_destroy(struct check *);                     /* NULL is allowed */
/* Turns on the counters of launches (sim/check/counters.h). Call before the first launch. */
void check_count(struct check *);
/* Records the accesses of these blocks of the next launch; count 0: of none. The ranges must stay
 * valid until it ends. */
void check_watch(struct check *, const struct block_range *, size_t count);
/* What was recorded of the last launch; valid until the next one begins. */
void check_memory(struct check *, struct row_memory *out);

/* --- device memory --- */

/* Maps memory for a buffer, far from any other, in a multiple of 256 bytes, all of it unwritten:
 * see check_region.c. DEVICE (2) if out of memory. */
enum status check_map(struct check *, uint32_t buffer, const char *name, size_t bytes, void **out);
/* The buffer is freed: any access to it is a finding from now on. */
void check_unmap(struct check *, void *memory);
/* Frees the heap of kernels; the next one that allocates gets a new one. */
void check_free_heap(struct check *);
/* Something other than a kernel wrote these bytes. */
void check_written(struct check *, const void *memory, size_t bytes);
/* The bytes were copied: those whose source was written now count as written. */
void check_copied(struct check *, const void *to, const void *from, size_t bytes);
/* Reports every buffer that was not freed. */
void check_leaks(struct check *);

/* fn is called at each new finding that is neither a lint nor a leak, when it is found; NULL: none.
 * For the whole process. */
void check_set_observer(void (*fn)(void));

/* --- launches --- */

struct check_launch {
	int64_t number;
	const struct sim_code *code;
	struct dim3 grid, block;
	bool clusters;                          /* of more than one block */
	void *const *args;                      /* one per parameter; valid until the launch ends */
	const struct kernel_lint *lint;         /* specific to the kernel; NULL: none */
	bool part;                              /* device code of the one before launched it */
};
/* *out is the listener that the launch must run with. DEVICE (2) if out of memory; the launch has
 * not begun then. */
enum status check_launch_begin(struct check *, const struct check_launch *, struct listener **out);
/* good: the launch ended without a fault. */
void check_launch_end(struct check *, bool good);
/* Whether the last launch has accesses that only atomics, flags and fences ordered, in the order
 * that happened. */
bool check_order_happened(const struct check *);

/* Findings of a copy of this process, which has run the last launch under another seed: the copy
 * knows how many there were before, and sends the later ones, but no lints, to a file; this process
 * receives all that were sent, and adds those that it does not have. */
size_t check_known(const struct check *);
void check_send(const struct check *, size_t known, uint64_t seed, int file);
void check_receive(struct check *, int file);

/* --- streams and graphs ---
 *
 * Whatever order the simulator runs work in, two operations are ordered only by their stream, by
 * events, by edges of a graph, or because the host waited for one before it issued the other.
 * Clocks are updated when work is issued; the bytes it touches are recorded when it runs. */

/* Adds an operation that is ordered after everything in the clock `before`, adds it to that clock
 * too, and returns its number. */
uint64_t check_op_new(struct check *, struct clock **before, int stream);
/* The operation, a launch, may begin before the operation `earlier`, the launch before it, has
 * ended (sim/cuda/programmatic.h). Call before anything else is added. */
void check_op_overlaps(struct check *, uint64_t op, uint64_t earlier);
/* The clock of an operation, valid until the next one is added. */
const struct clock *check_op_clock(const struct check *, uint64_t op);
/* The operations that the host knows to be complete. */
const struct clock *check_host_clock(const struct check *);
/* The host waited for every operation in `clock`; for all operations. */
void check_host_waited(struct check *, const struct clock *);
void check_host_waited_for_all(struct check *);

/* The operation starts to run, and has run. Between the two calls: */
void check_op_begin(struct check *, uint64_t op);
void check_op_end(struct check *, uint64_t op);
/* The operation is a copy or fill (such as "upload") that read or wrote these bytes of device or
 * host memory. */
void check_op_moved(struct check *, const char *what, uintptr_t address, size_t bytes, bool write);

/* A graph is launched with an argument whose source has changed since. */
void check_stale(struct check *, const char *kernel, const char *param, int node, int stream,
		 const char *values);
/* A capture refused an operation with a CUDA error; `text` is its message. */
void check_forbidden(struct check *, const char *operation, const char *mode, int stream,
		     const char *text);

/* --- results --- */

/* All findings so far with their source lines; valid until the next call of any function here. */
size_t check_findings(struct check *, const struct row_finding **out);
/* Counters of all launches so far, in order; not counted without check_count(). */
size_t check_counters(struct check *, const struct row_counters **out);

#endif
