/* check.h - the checker: finds memory and ordering bugs of kernels that a simulated device runs.
 *
 * Checked kernels are compiled so that every load, store, array index and basic block calls a hook
 * (sim/check/check_hooks.c). Device memory of a checked device lies in one reserved range of
 * addresses with shadow memory beside it (check_region.c), which says of every word which bytes are
 * allocated and written, who wrote it last and who read it. check_race.c holds the rules of order,
 * check_sync.c those of barriers and masks, check_find.c the findings. Where threads meet the
 * simulator tells the checker through sim/exec/listener.h. One checked launch runs at a time, on one
 * OS thread. Nothing here changes what a kernel computes. Other folders include this header only.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "kernels/kernel_table.h"
#include "sim/check/clock.h"

struct check;
struct kernel_lint;
struct listener;
struct row_counters;
struct row_finding;

/* DEVICE with error_code() 2 when no range of addresses can be reserved. */
enum status check_create(struct check **out);
void check_destroy(struct check *);                     /* NULL is fine */
/* Before the first launch: counts what launches do (sim/check/counters.h). */
void check_count(struct check *);

/* --- device memory --- */

/* Memory for a buffer, far from any other, with room for a multiple of 256 bytes, nothing written
 * yet: see check_region.c. DEVICE (2) when there is none. */
enum status check_map(struct check *, uint32_t buffer, const char *name, size_t bytes, void **out);
/* The buffer is freed: touching it is a finding from now on. */
void check_unmap(struct check *, void *memory);
/* Something other than a kernel wrote these bytes. */
void check_written(struct check *, const void *memory, size_t bytes);
/* They were copied, and are as much written as their source. */
void check_copied(struct check *, const void *to, const void *from, size_t bytes);
/* Names every buffer that was not freed. */
void check_leaks(struct check *);

/* --- launches --- */

struct check_launch {
	int64_t number;
	const struct sim_code *code;
	struct dim3 grid, block;
	void *const *args;                      /* of code's parameters; until the launch has ended */
	const struct kernel_lint *lint;         /* the kernel's own; NULL: none */
};
/* The launch is to run with this listener. */
struct listener *check_launch_begin(struct check *, const struct check_launch *);
/* good: without a fault. */
void check_launch_end(struct check *, bool good);

/* --- streams and graphs ---
 *
 * Whatever order the simulator runs work in, two operations are ordered only by their stream, by
 * events, by edges of a graph, or by the host having waited for one before it asked for the other.
 * Clocks are kept when work is asked for; which bytes it touches is noted when it runs. */

/* A new operation behind all that `before` knows, which knows the operation too from then on. Its
 * number. */
uint64_t check_op_new(struct check *, struct clock **before, int stream);
/* The clock of an operation, good until the next one is made. */
const struct clock *check_op_clock(const struct check *, uint64_t op);
/* What the host knows to be over. */
const struct clock *check_host_clock(const struct check *);
/* The host waited for everything `clock` knows; for all there is. */
void check_host_waited(struct check *, const struct clock *);
void check_host_waited_for_all(struct check *);

/* The operation runs, and has run. In between: */
void check_op_begin(struct check *, uint64_t op);
void check_op_end(struct check *, uint64_t op);
/* It is a copy or fill ("upload"), and moved these bytes of the device's or the host's memory. */
void check_op_moved(struct check *, const char *what, uintptr_t address, size_t bytes, bool write);

/* A graph is launched, one argument of which no longer is what its source holds. */
void check_stale(struct check *, const char *kernel, const char *param, int node, int stream,
		 const char *values);
/* A capture refused an operation with a CUDA error code, which error_text() tells of. */
void check_forbidden(struct check *, const char *operation, const char *mode, int stream,
		     const char *text);

/* --- results --- */

/* All findings so far, source lines resolved; good until the next call of anything here. */
size_t check_findings(struct check *, const struct row_finding **out);
/* Counters of all launches so far, in order; none without check_count(). */
size_t check_counters(struct check *, const struct row_counters **out);

#endif
