/* random_order.h - random programs of a few threads, and which of their accesses race.
 *
 * Programs access a few words between barriers, fences and atomics. Races are derived from a list
 * of all operations and the transitive closure of their order, without the checker's code. Used by
 * test_check_order.c.
 */
#ifndef TESTS_RANDOM_ORDER_H
#define TESTS_RANDOM_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/checker/random.h"

enum {
	BLOCKS = 2, THREADS = 64, LANES = 3,            /* active lanes of each warp */
	ACTIVE = BLOCKS * 2 * LANES,
	ROUNDS = 4, ACTS = 2, STEPS = ROUNDS * (ACTS + 1),
	EVENTS = ACTIVE * STEPS, PARTS = (EVENTS + 63) / 64,
	FLAGS = 2,
};

struct op {
	int kind, operand;
	bool shared;
	unsigned at, bytes;             /* a range within 16 bytes of memory */
};

struct program {
	struct op ops[ACTIVE][STEPS];
	/* Steps at which all threads of a block, or of a warp, meet. */
	bool block_barrier[STEPS], warp_barrier[STEPS];
};

/* The operations from which a random program is drawn. */
struct operation_mix {
	const int *kinds;
	int count;
	bool partial;                   /* also barriers of some lanes only */
};

static uint64_t state;

static unsigned draw(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

static int thread_of(int active)
{
	return active / LANES * 32 + active % LANES;
}

static int block_of(int active)
{
	return active / (2 * LANES);
}

static unsigned bytes_of(int kind)
{
	switch (kind) {
	case RANDOM_READ_1: case RANDOM_WRITE_1: return 1;
	case RANDOM_READ_2: case RANDOM_WRITE_2: return 2;
	case RANDOM_READ_16: case RANDOM_WRITE_16: return 16;
	case RANDOM_READ_4: case RANDOM_WRITE_4: case RANDOM_ATOMIC: case RANDOM_VOLATILE_READ:
	case RANDOM_VOLATILE_WRITE: case RANDOM_VOLATILE_TEST: return 4;
	default: return 0;
	}
}

static struct op random_op(const struct operation_mix *mix, int number)
{
	struct op op = { .kind = mix->kinds[draw((unsigned)mix->count)] };

	op.bytes = bytes_of(op.kind);
	op.operand = op.kind == RANDOM_FLAG ? (int)draw(FLAGS) : 1 + number;
	op.shared = draw(2);
	if (op.bytes)
		op.at = draw(16 / op.bytes > 8 ? 8 : 16 / op.bytes) * op.bytes;
	return op;
}

/* Adds a barrier of blocks, of some lanes of each warp (only of whole warps unless `partial`), or
 * none. */
static void add_barrier(struct program *p, int step, bool partial)
{
	unsigned kind = draw(3), whole = kind == 1 && !partial;

	if (whole) {
		p->warp_barrier[step] = true;
		for (int t = 0; t < ACTIVE; t++)
			p->ops[t][step] = (struct op){ .kind = RANDOM_WARP, .operand = -1 };
		return;
	}

	p->block_barrier[step] = kind == 0;
	for (int t = 0; t < ACTIVE; t++)
		p->ops[t][step].kind = kind == 0 ? RANDOM_BLOCK : RANDOM_NOTHING;
	if (kind != 1)
		return;
	for (int first = 0; first < ACTIVE; first += LANES) {
		unsigned mask = draw(1 << LANES);

		for (int l = 0; l < LANES; l++)
			if (mask >> l & 1)
				p->ops[first + l][step] = (struct op){
					.kind = RANDOM_WARP, .operand = (int)mask,
				};
	}
}

static void make_program(struct program *p, const struct operation_mix *mix,
			 unsigned busy)
{
	memset(p, 0, sizeof *p);
	for (int step = 0; step < STEPS; step++) {
		if (step % (ACTS + 1) == ACTS) {
			add_barrier(p, step, mix->partial);
			continue;
		}
		for (int t = 0; t < ACTIVE; t++)
			if (draw(100) < busy)
				p->ops[t][step] = random_op(mix, t * STEPS + step);
	}
}

/* --- order --- */

struct set {
	uint64_t part[PARTS];
};

static void add(struct set *s, int e)
{
	s->part[e / 64] |= (uint64_t)1 << e % 64;
}

static bool has(const struct set *s, int e)
{
	return s->part[e / 64] >> e % 64 & 1;
}

static void join(struct set *s, const struct set *more)
{
	for (int i = 0; i < PARTS; i++)
		s->part[i] |= more->part[i];
}

static int event(int t, int step)
{
	return t * STEPS + step;
}

static const struct op *op_of(const struct program *p, int e)
{
	return &p->ops[e / STEPS][e % STEPS];
}

struct order {
	struct set met[EVENTS];         /* before an event in its thread or through barriers */
	struct set before[EVENTS];      /* the same, or through fences and flags */
	struct set released[EVENTS];    /* by a flag operation, to later ones on the flag */
	struct set acquired[EVENTS];    /* by a flag operation, from earlier ones */
};

static void close_over(struct set before[EVENTS])
{
	for (int k = 0; k < EVENTS; k++)
		for (int e = 0; e < EVENTS; e++)
			if (has(&before[e], k))
				join(&before[e], &before[k]);
}

static bool meet(const struct program *p, int t, int u, int step)
{
	if (block_of(t) != block_of(u))
		return false;
	if (p->ops[t][step].kind == RANDOM_BLOCK)
		return true;
	return t / LANES == u / LANES && p->ops[t][step].kind == RANDOM_WARP
		&& p->ops[u][step].kind == RANDOM_WARP
		&& p->ops[t][step].operand >> u % LANES & 1;
}

static void order_by_barriers(const struct program *p, struct order *order)
{
	for (int t = 0; t < ACTIVE; t++)
		for (int step = 0; step + 1 < STEPS; step++) {
			add(&order->met[event(t, step + 1)], event(t, step));
			for (int u = 0; u < ACTIVE; u++)
				if (meet(p, u, t, step))
					add(&order->met[event(t, step + 1)], event(u, step));
		}
	close_over(order->met);
}

/* A fence releases through later flag operations of its own thread and, after a barrier, through
 * those of the threads it met there. */
static bool releases(const struct program *p, const struct order *order, int fence, int flag)
{
	return op_of(p, fence)->kind == RANDOM_FENCE && has(&order->met[flag], fence);
}

/* One more round of propagation through flags and fences; returns whether anything changed. */
static bool propagate(const struct program *p, const int *seen, struct order *order)
{
	struct order was = *order;

	for (int flag = 0; flag < EVENTS; flag++) {
		if (op_of(p, flag)->kind != RANDOM_FLAG)
			continue;
		for (int fence = 0; fence < EVENTS; fence++)
			if (releases(p, order, fence, flag)) {
				add(&order->released[flag], fence);
				join(&order->released[flag], &order->before[fence]);
			}
		for (int later = 0; later < EVENTS; later++)
			if (op_of(p, later)->kind == RANDOM_FLAG && seen[later] > seen[flag]
			    && op_of(p, later)->operand == op_of(p, flag)->operand)
				join(&order->acquired[later], &order->released[flag]);
	}
	for (int fence = 0; fence < EVENTS; fence++)
		for (int flag = 0; op_of(p, fence)->kind == RANDOM_FENCE && flag < EVENTS; flag++)
			if (op_of(p, flag)->kind == RANDOM_FLAG && has(&order->met[fence], flag))
				join(&order->before[fence], &order->acquired[flag]);
	close_over(order->before);
	return memcmp(&was, order, sizeof was) != 0;
}

/* A write waits for the results of flag operations before it, so it is ordered after what these
 * acquired, without a fence of its own. */
static bool write_waits(const struct program *p, const struct order *order, int earlier, int write)
{
	for (int flag = 0; flag < EVENTS; flag++)
		if (op_of(p, flag)->kind == RANDOM_FLAG && has(&order->met[write], flag)
		    && has(&order->acquired[flag], earlier))
			return true;
	return false;
}

static bool writes(const struct op *op)
{
	return (op->kind >= RANDOM_WRITE_1 && op->kind <= RANDOM_ATOMIC)
		|| op->kind == RANDOM_VOLATILE_WRITE;
}

/* In shared memory a volatile read is strong only if it is a test. */
static bool is_strong(const struct op *op)
{
	return op->kind == RANDOM_ATOMIC || op->kind == RANDOM_VOLATILE_WRITE
		|| op->kind == RANDOM_VOLATILE_TEST
		|| (op->kind == RANDOM_VOLATILE_READ && !op->shared);
}

/* Of strong accesses, only volatile writes race with each other. */
static bool both_strong(const struct op *a, const struct op *b)
{
	return is_strong(a) && is_strong(b)
		&& !(a->kind == RANDOM_VOLATILE_WRITE && b->kind == RANDOM_VOLATILE_WRITE);
}

static bool conflict(const struct op *a, int block_a, const struct op *b, int block_b)
{
	return a->bytes && b->bytes && a->shared == b->shared && (!a->shared || block_a == block_b)
		&& a->at < b->at + b->bytes && b->at < a->at + a->bytes
		&& (writes(a) || writes(b))
		&& !both_strong(a, b);
}

/* Whether a thread that passed event `a` made a fence before event `e`. */
static bool fenced_between(const struct program *p, const struct order *order, int a, int e)
{
	for (int fence = 0; fence < EVENTS; fence++)
		if (op_of(p, fence)->kind == RANDOM_FENCE && has(&order->before[fence], a)
		    && has(&order->before[e], fence))
			return true;
	return false;
}

/* Another atomic, or a test, of the same word is ordered before `e`. It is unknown whether the
 * strong write `w` ran before that one, and thus before `e`. A plain read needs a fence, too. */
static bool maybe_before(const struct program *p, const struct order *order, int w, int e)
{
	const struct op *op = op_of(p, w);
	bool strong = op->kind == RANDOM_ATOMIC || op->kind == RANDOM_VOLATILE_WRITE;

	for (int i = 0; i < EVENTS && strong; i++)
		if (i != w && (op_of(p, i)->kind == RANDOM_ATOMIC
			       || op_of(p, i)->kind == RANDOM_VOLATILE_TEST)
		    && op_of(p, i)->at == op->at && op_of(p, i)->shared == op->shared
		    && (!op->shared || block_of(i / STEPS) == block_of(w / STEPS))
		    && has(&order->before[e], i)
		    && (writes(op_of(p, e)) || fenced_between(p, order, i, e)))
			return true;
	return false;
}

enum { RACE_SHARED = 1, RACE_BLOCK = 2, RACE_GRID = 4 };
struct verdict {
	unsigned sure, possible;        /* classes of races */
};

static struct verdict races_of(const struct program *p, const int *seen)
{
	static struct order order;
	struct verdict found = { 0, 0 };

	memset(&order, 0, sizeof order);
	order_by_barriers(p, &order);
	memcpy(order.before, order.met, sizeof order.before);
	while (propagate(p, seen, &order))
		;
	for (int a = 0; a < EVENTS; a++)
		for (int b = 0; b < EVENTS; b++) {
			int block_a = block_of(a / STEPS), block_b = block_of(b / STEPS);
			unsigned class;

			if (a / STEPS >= b / STEPS
			    || !conflict(op_of(p, a), block_a, op_of(p, b), block_b)
			    || has(&order.before[a], b) || has(&order.before[b], a)
			    || (writes(op_of(p, a)) && write_waits(p, &order, b, a))
			    || (writes(op_of(p, b)) && write_waits(p, &order, a, b)))
				continue;
			class = op_of(p, a)->shared ? RACE_SHARED
				: block_a == block_b ? RACE_BLOCK : RACE_GRID;
			found.possible |= class;
			if (!maybe_before(p, &order, a, b) && !maybe_before(p, &order, b, a))
				found.sure |= class;
		}
	return found;
}

#endif
