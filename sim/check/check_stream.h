/* check_stream.h - the checker above the kernel: order between operations of streams and graphs.
 *
 * Whatever order the simulator runs work in, two operations are ordered only by their stream, by
 * events, by edges of a graph, or by the host having waited for one before it asked for the other.
 * Clocks are kept when work is asked for; which bytes it touches is noted when it runs. Serves
 * stream.c, task.c and capture.c.
 */
#ifndef SIM_CHECK_STREAM_H
#define SIM_CHECK_STREAM_H

#include "sim/check/check.h"
#include "sim/check/clock.h"

struct arg;
struct row_finding;

/* A new operation behind all that `before` knows, which knows the operation too from then on. Its
 * number. */
uint64_t check_op_new(struct check *, struct clock *before, int stream);
/* The clock of an operation, good until the next one is made. */
const struct clock *check_op_clock(const struct check *, uint64_t op);
/* What the host knows to be over. */
const struct clock *check_host_clock(const struct check *);
/* The host waited for everything `clock` knows; NULL: for all there is. */
void check_host_waited(struct check *, const struct clock *);

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

/* --- check_op.c's and check_stream.c's own --- */

/* [from, to), by the thread and line of `record` when it is a kernel's. */
struct touched {
	uintptr_t from, to;
	uint64_t record;
};
struct touched_list {
	struct touched *items;
	size_t count, room;
};

enum op_state {
	OP_ASKED,                       /* has not run */
	OP_LAUNCHED,                    /* has run; what it touched is in the shadow memory */
	OP_KNOWN,                       /* what it touched is in the lists */
	OP_OVER                         /* ordered before all that will ever run */
};

struct check_op {
	struct clock clock;             /* with itself */
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
	size_t count, room;
	uint64_t base;
	size_t waiting;                 /* asked for, and not run */
	struct clock host, all;         /* what the host knows; the ends of all chains */
	struct check_op *running;
};

/* The launches whose bytes are not known yet are found in shadow memory, and compared. */
void check_ops_collect(struct check *);
/* A launch begins or has ended as part of the operation that runs, if one does. */
void check_op_launched(struct check *, bool ended);
/* The first segment of those launches; UINT32_MAX: there are none. */
uint32_t check_ops_needed(const struct check *);
void check_ops_free(struct check *);

/* Reports where an operation meets another that nothing orders. */
void check_op_judge(struct check *, const struct check_op *);
bool check_op_unordered(const struct check_op *, const struct check_op *);

#endif
