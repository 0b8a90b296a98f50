/* operation.h - an operation of a checked device: its order, its bytes. Private to the checker. */
#ifndef SIM_OPERATION_H
#define SIM_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/check/check.h"
#include "sim/check/clock.h"

/* [from, to), by the thread and line of `record` when it is a kernel's. */
struct touched {
	uintptr_t from, to;
	uint64_t record;
};
struct touched_list {
	struct touched *items;
	size_t count, capacity;
};

enum op_state {
	OP_ASKED,                       /* has not run */
	OP_LAUNCHED,                    /* has run; what it touched is in the shadow memory */
	OP_KNOWN,                       /* what it touched is in the lists */
	OP_OVER                         /* ordered before all that will ever run */
};

struct check_op {
	struct clock *clock;            /* with itself */
	size_t chain;
	uint32_t time;                  /* in its chain */
	int stream;
	enum op_state state;
	const char *what;               /* "upload", or the kernel's name */
	struct check_launch launch;     /* code NULL: a copy or fill */
	uintptr_t origin;               /* of a launch: what places of code count from */
	uint32_t first, last;           /* its segments: [first, last) */
	struct touched_list reads, writes;
};

struct check_ops {
	struct check_op *items;         /* number `base` on */
	size_t count, capacity;
	uint64_t base;
	size_t waiting;                 /* asked for, and not run */
	struct clock *host, *all;       /* what the host knows; the ends of all chains */
	struct check_op *running;
};

/* Whether it is behind all of the operation. */
static inline bool operation_known(const struct check_op *op, const struct clock *clock)
{
	return clock_at(clock, op->chain) >= op->time;
}

static inline bool operation_unordered(const struct check_op *a, const struct check_op *b)
{
	return !operation_known(a, b->clock) && !operation_known(b, a->clock);
}

#endif
