/* test_check_order.c - the checker's idea of order against one that keeps everything.
 *
 * Random programs of a few threads touch a few words between barriers, fences and atomics. What the
 * checker finds in its shadow memory, which keeps a writer and two readers of a word, is compared
 * with a list of all operations and the transitive closure of what orders them: whether there is a
 * race at all, and of which classes. The kernel is tests/checker/random.cu.
 */
#include "config.h"

#include "tests/support.h"

#include "engine/device.h"
#include "tests/checker/corpus.h"
#include "tests/checker/random.h"
#include "traces/event.h"

enum {
	BLOCKS = 2, THREADS = 64, LANES = 3,            /* of each warp that do something */
	ACTIVE = BLOCKS * 2 * LANES,
	ROUNDS = 4, ACTS = 2, STEPS = ROUNDS * (ACTS + 1),
	EVENTS = ACTIVE * STEPS, PARTS = (EVENTS + 63) / 64,
	FLAGS = 2,
};

struct op {
	int kind, operand;
	bool shared;
	unsigned at, bytes;             /* of 16 */
};

struct program {
	struct op ops[ACTIVE][STEPS];
	/* Of all threads: of blocks, of warps. */
	bool block_barrier[STEPS], warp_barrier[STEPS];
};

/* What the dice of a program may come to. */
struct dice {
	const int *kinds;
	int count;
	bool of_some;                   /* barriers of some lanes, too */
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
	case RANDOM_READ_4: case RANDOM_WRITE_4: case RANDOM_ATOMIC: return 4;
	default: return 0;
	}
}

static struct op random_op(const struct dice *dice, int number)
{
	struct op op = { .kind = dice->kinds[draw((unsigned)dice->count)] };

	op.bytes = bytes_of(op.kind);
	op.operand = op.kind == RANDOM_FLAG ? (int)draw(FLAGS) : 1 + number;
	op.shared = draw(2);
	if (op.bytes)
		op.at = draw(16 / op.bytes > 8 ? 8 : 16 / op.bytes) * op.bytes;
	return op;
}

/* A barrier of the block, of some lanes of each warp (or of whole warps only), or nothing. */
static void add_barrier(struct program *p, int step, bool of_some)
{
	unsigned kind = draw(3), whole = kind == 1 && !of_some;

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

static void make_program(struct program *p, const struct dice *dice, unsigned busy)
{
	memset(p, 0, sizeof *p);
	for (int step = 0; step < STEPS; step++) {
		if (step % (ACTS + 1) == ACTS) {
			add_barrier(p, step, dice->of_some);
			continue;
		}
		for (int t = 0; t < ACTIVE; t++)
			if (draw(100) < busy)
				p->ops[t][step] = random_op(dice, t * STEPS + step);
	}
}

/* --- all that orders --- */

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
	struct set met[EVENTS];         /* before an event in its thread, or through barriers */
	struct set before[EVENTS];      /* or through fences and flags */
	struct set released[EVENTS];    /* of a flag: what it hands on */
	struct set taken[EVENTS];       /* of a flag: what those before it handed on */
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

/* A fence serves the flags of its own thread, and behind a barrier those of threads it met. */
static bool serves(const struct program *p, const struct order *order, int fence, int flag)
{
	return op_of(p, fence)->kind == RANDOM_FENCE && has(&order->met[flag], fence);
}

/* One more round of what flags hand on and fences take; whether that was news. */
static bool pass_on(const struct program *p, const int *seen, struct order *order)
{
	struct order was = *order;

	for (int flag = 0; flag < EVENTS; flag++) {
		if (op_of(p, flag)->kind != RANDOM_FLAG)
			continue;
		for (int fence = 0; fence < EVENTS; fence++)
			if (serves(p, order, fence, flag)) {
				add(&order->released[flag], fence);
				join(&order->released[flag], &order->before[fence]);
			}
		for (int later = 0; later < EVENTS; later++)
			if (op_of(p, later)->kind == RANDOM_FLAG && seen[later] > seen[flag]
			    && op_of(p, later)->operand == op_of(p, flag)->operand)
				join(&order->taken[later], &order->released[flag]);
	}
	for (int fence = 0; fence < EVENTS; fence++)
		for (int flag = 0; op_of(p, fence)->kind == RANDOM_FENCE && flag < EVENTS; flag++)
			if (op_of(p, flag)->kind == RANDOM_FLAG && has(&order->met[fence], flag))
				join(&order->before[fence], &order->taken[flag]);
	close_over(order->before);
	return memcmp(&was, order, sizeof was) != 0;
}

/* A write waits for the flag that its thread asked before: it needs no fence of its own. */
static bool waits(const struct program *p, const struct order *order, int earlier, int write)
{
	for (int flag = 0; flag < EVENTS; flag++)
		if (op_of(p, flag)->kind == RANDOM_FLAG && has(&order->met[write], flag)
		    && has(&order->taken[flag], earlier))
			return true;
	return false;
}

static bool writes(const struct op *op)
{
	return op->kind >= RANDOM_WRITE_1 && op->kind <= RANDOM_ATOMIC;
}

static bool touch(const struct op *a, int block_a, const struct op *b, int block_b)
{
	return a->bytes && b->bytes && a->shared == b->shared && (!a->shared || block_a == block_b)
		&& a->at < b->at + b->bytes && b->at < a->at + a->bytes
		&& (writes(a) || writes(b))
		&& !(a->kind == RANDOM_ATOMIC && b->kind == RANDOM_ATOMIC);
}

/* An atomic may have come before another one there that `e` is behind; nobody knows. */
static bool behind_another(const struct program *p, const struct order *order, int atomic, int e)
{
	const struct op *op = op_of(p, atomic);

	for (int i = 0; i < EVENTS && op->kind == RANDOM_ATOMIC; i++)
		if (i != atomic && op_of(p, i)->kind == RANDOM_ATOMIC && op_of(p, i)->at == op->at
		    && op_of(p, i)->shared == op->shared
		    && (!op->shared || block_of(i / STEPS) == block_of(atomic / STEPS))
		    && has(&order->before[e], i))
			return true;
	return false;
}

enum { RACE_SHARED = 1, RACE_BLOCK = 2, RACE_GRID = 4 };
struct verdict {
	unsigned sure, possible;        /* classes */
};

static struct verdict races_of(const struct program *p, const int *seen)
{
	static struct order order;
	struct verdict found = { 0, 0 };

	memset(&order, 0, sizeof order);
	order_by_barriers(p, &order);
	memcpy(order.before, order.met, sizeof order.before);
	while (pass_on(p, seen, &order))
		;
	for (int a = 0; a < EVENTS; a++)
		for (int b = 0; b < EVENTS; b++) {
			int block_a = block_of(a / STEPS), block_b = block_of(b / STEPS);
			unsigned class;

			if (a / STEPS >= b / STEPS
			    || !touch(op_of(p, a), block_a, op_of(p, b), block_b)
			    || has(&order.before[a], b) || has(&order.before[b], a)
			    || (writes(op_of(p, a)) && waits(p, &order, b, a))
			    || (writes(op_of(p, b)) && waits(p, &order, a, b)))
				continue;
			class = op_of(p, a)->shared ? RACE_SHARED
				: block_a == block_b ? RACE_BLOCK : RACE_GRID;
			found.possible |= class;
			if (!behind_another(p, &order, a, b) && !behind_another(p, &order, b, a))
				found.sure |= class;
		}
	return found;
}

/* --- on the device --- */

extern const struct sim_code ft_code_random_program_checked;
extern const struct sim_code ft_code_random_whole_checked;
#define CODE_OF(name) { \
	.sim = { { &ft_code_##name##_checked }, { &ft_code_##name##_checked } }, \
	.checked = &ft_code_##name##_checked, \
}
static const struct kernel_code codes[] = { CODE_OF(random_whole), CODE_OF(random_program) };
/* [of_some] */
static const struct kernel kernels[] = {
	{ .name = "random_whole", .origin = "cuda_c", .code = &codes[0] },
	{ .name = "random_program", .origin = "cuda_c", .code = &codes[1] },
};

static void write_table(const struct program *p, int table[BLOCKS * THREADS][STEPS][2])
{
	memset(table, 0, sizeof(int[BLOCKS * THREADS][STEPS][2]));
	for (int step = 0; step < STEPS; step++) {
		for (int t = 0; t < BLOCKS * THREADS; t++) {
			table[t][step][0] = p->block_barrier[step] ? RANDOM_BLOCK
				: p->warp_barrier[step] ? RANDOM_WARP : RANDOM_NOTHING;
			table[t][step][1] = -1;
		}
		for (int a = 0; a < ACTIVE; a++) {
			const struct op *op = &p->ops[a][step];
			int *entry = table[thread_of(a)][step];

			entry[0] = op->kind | (op->shared ? RANDOM_SHARED : 0)
				| (int)op->at << RANDOM_OFFSET_SHIFT;
			entry[1] = op->operand;
		}
	}
}

static unsigned classes_found(struct device *device)
{
	const struct event_finding *found;
	size_t count = device_findings(device, &found);
	unsigned classes = 0;

	for (size_t i = 0; i < count; i++)
		classes |= strcmp(found[i].class, "race-shared") == 0 ? RACE_SHARED
			: strcmp(found[i].class, "race-block") == 0 ? RACE_BLOCK
			: strcmp(found[i].class, "race-grid") == 0 ? RACE_GRID : 0;
	return classes;
}

/* The classes of races that the checker finds; seen: what each operation read. */
static unsigned run_program(const struct program *p, bool of_some, uint64_t seed, int seen[EVENTS])
{
	static int table[BLOCKS * THREADS][STEPS][2], read[BLOCKS * THREADS][STEPS], zeros[4];
	const struct device_options options = { .check = true, .seed = seed };
	struct device *device;
	struct buffer *program, *words, *flags, *out;
	unsigned classes;

	write_table(p, table);
	OK(device_open("sim", &options, &device));
	OK(corpus_buffer(device, "program", DTYPE_I32, sizeof table / 4, table, &program));
	OK(corpus_buffer(device, "words", DTYPE_I32, 4, zeros, &words));
	OK(corpus_buffer(device, "flags", DTYPE_I32, FLAGS, zeros, &flags));
	OK(corpus_buffer(device, "seen", DTYPE_I32, sizeof read / 4, NULL, &out));
	OK(device_launch(device, &(struct launch){
		.kernel = &kernels[of_some], .grid = { BLOCKS }, .block = { THREADS }, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(program), ARG_I32(STEPS), ARG_BUFFER(words),
					ARG_BUFFER(flags), ARG_BUFFER(out) }, .arg_count = 5 }));
	OK(device_download(device, NULL, out, 0, read, sizeof read));
	for (int a = 0; a < ACTIVE; a++)
		memcpy(seen + event(a, 0), read[thread_of(a)], sizeof read[0]);
	classes = classes_found(device);
	device_close(device);
	return classes;
}

static size_t print_op(const struct op *op, char *text, size_t room)
{
	static const char *const names[] = {
		"-", "r1", "r2", "r4", "r16", "w1", "w2", "w4", "w16", "atomic", "flag", "fence",
		"warp", "block",
	};

	if (op->bytes)
		return (size_t)snprintf(text, room, " %s%c%u", names[op->kind],
					op->shared ? 's' : 'g', op->at);
	if (op->kind == RANDOM_FLAG || op->kind == RANDOM_WARP)
		return (size_t)snprintf(text, room, " %s:%d", names[op->kind], op->operand);
	return (size_t)snprintf(text, room, " %s", names[op->kind]);
}

/* A line for each thread; the room is enough for all. */
static void print_program(const struct program *p, char *text, size_t room)
{
	size_t used = 0;

	for (int t = 0; t < ACTIVE; t++) {
		used += (size_t)snprintf(text + used, room - used, "\nblock %d thread %d:",
					 block_of(t), thread_of(t) % THREADS);
		for (int step = 0; step < STEPS; step++)
			used += print_op(&p->ops[t][step], text + used, room - used);
	}
}

/* Programs of these kinds, `busy` percent of their steps: found exactly when there is one. More of
 * them with CHECK_PROGRAMS=N in the environment. */
static void compare(const struct dice *dice, unsigned busy)
{
	const char *wanted = getenv("CHECK_PROGRAMS");
	int programs = wanted ? atoi(wanted) : 500, racy = 0;

	for (int i = 0; i < programs; i++) {
		static struct program p;
		static char text[8000];
		int seen[EVENTS];
		struct verdict is;
		unsigned found;

		state = (uint64_t)i * 1000 + busy;
		make_program(&p, dice, busy);
		found = run_program(&p, dice->of_some, (uint64_t)i % 5, seen);
		is = races_of(&p, seen);
		racy += is.sure != 0;
		if ((found & ~is.possible) == 0 && (found || !is.sure))
			continue;
		print_program(&p, text, sizeof text);
		ck_abort_msg("program %d: races %#x, found %#x:%s", i, is.sure, found, text);
	}
	/* Neither all nor none. */
	ck_assert_msg(racy > programs / 20 && racy < programs - programs / 20,
		      "%d of %d programs race", racy, programs);
}

START_TEST(words_between_barriers)
{
	static const int kinds[] = { RANDOM_READ_4, RANDOM_READ_4, RANDOM_READ_16, RANDOM_WRITE_4 };
	for (int of_some = 0; of_some < 2; of_some++) {
		const struct dice dice = { kinds, 4, of_some };

		compare(&dice, 4);
		compare(&dice, 12);
	}
}
END_TEST

START_TEST(parts_of_words)
{
	static const int kinds[] = {
		RANDOM_READ_1, RANDOM_READ_2, RANDOM_READ_4, RANDOM_WRITE_1, RANDOM_WRITE_2,
		RANDOM_WRITE_4, RANDOM_READ_16,
	};
	for (int of_some = 0; of_some < 2; of_some++) {
		const struct dice dice = { kinds, 7, of_some };

		compare(&dice, 6);
		compare(&dice, 14);
	}
}
END_TEST

START_TEST(atomics_beside_accesses)
{
	static const int kinds[] = {
		RANDOM_READ_4, RANDOM_ATOMIC, RANDOM_ATOMIC, RANDOM_READ_1, RANDOM_WRITE_4,
	};
	for (int of_some = 0; of_some < 2; of_some++) {
		const struct dice dice = { kinds, 5, of_some };

		compare(&dice, 6);
		compare(&dice, 14);
	}
}
END_TEST

START_TEST(fences_and_flags)
{
	static const int kinds[] = {
		RANDOM_READ_4, RANDOM_WRITE_4, RANDOM_FENCE, RANDOM_FENCE, RANDOM_FENCE,
		RANDOM_FLAG, RANDOM_FLAG, RANDOM_FLAG, RANDOM_FLAG,
	};
	const struct dice dice = { kinds, 9, true };

	compare(&dice, 12);
	compare(&dice, 30);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("check order");

	tcase_set_timeout(tests, 1000);
	tcase_add_test(tests, words_between_barriers);
	tcase_add_test(tests, parts_of_words);
	tcase_add_test(tests, atomics_beside_accesses);
	tcase_add_test(tests, fences_and_flags);
	return run_suite("check order", tests);
}
