/* operation.h - an operation of a checked device: its order and bytes. Private to the checker. */
#ifndef SIM_OPERATION_H
#define SIM_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/check/check.h"
#include "sim/check/clock.h"

/* The bytes [from, to); `record` gives the thread and line if a kernel touched them. */
struct touched {
	uintptr_t from, to;
	uint64_t record;
};
struct touched_list {
	struct touched *items;
	size_t count, capacity;
};

enum op_state {
	OP_ISSUED,                      /* has not run */
	OP_LAUNCHED,                    /* has run; the bytes it touched are in shadow memory */
	OP_KNOWN,                       /* the bytes it touched are in the lists */
	OP_OVER                         /* ordered before all future operations */
};

struct check_op {
	struct clock *clock;            /* includes the operation itself */
	size_t chain;
	uint32_t time;                  /* position in its chain */
	int stream;
	enum op_state state;
	const char *what;               /* "upload", or the kernel's name */
	struct check_launch launch;     /* code NULL: a copy or fill */
	uintptr_t origin;               /* of a launch: code address of place 0 */
	uint32_t first, last;           /* its segments: [first, last) */
	struct touched_list reads, writes;
	/* Of a launch that may begin before the operation `overlaps`, a launch, has ended: what is
	 * ordered before all that it does, and what it touched before it waited for that launch.
	 * See check_early.c. */
	bool overlapping;
	uint64_t overlaps;
	struct clock *early;
	struct touched_list early_reads, early_writes;
	bool late;                      /* no launch can begin before this one has waited */
};

struct check_ops {
	struct check_op *items;         /* items[0] has the number `base` */
	size_t count, capacity;
	uint64_t base;
	size_t waiting;                 /* issued, but not run */
	struct clock *host, *all;       /* known to the host; the ends of all chains */
	struct check_op *running;
};

/* Whether the clock has reached the operation. */
static inline bool operation_known(const struct check_op *op, const struct clock *clock)
{
	return clock_at(clock, op->chain) >= op->time;
}

static inline bool operation_unordered(const struct check_op *a, const struct check_op *b)
{
	return !operation_known(a, b->clock) && !operation_known(b, a->clock);
}

#endif
