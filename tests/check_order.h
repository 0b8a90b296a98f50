/* check_order.h - runs random programs under the checker and compares its races with a model.
 *
 * The checker's shadow memory keeps a writer and two readers of each word, random_order.h all
 * accesses. Both must agree on whether a program has a race, and on its classes. The kernel is
 * tests/checker/random.cu.
 */
#ifndef CHECK_ORDER_H
#define CHECK_ORDER_H

#include "tests/support.h"

#include "engine/device.h"
#include "tests/checker/corpus.h"
#include "tests/random_order.h"
#include "traces/row.h"

/* --- on the device --- */

extern const struct sim_code ft_code_random_program_checked;
extern const struct sim_code ft_code_random_whole_checked;
#define CODE_OF(name) { \
	.sim = { { &ft_code_##name##_checked }, { &ft_code_##name##_checked } }, \
	.checked = &ft_code_##name##_checked, \
}
static const struct kernel_code codes[] = { CODE_OF(random_whole), CODE_OF(random_program) };
/* [partial] */
static const struct kernel kernels[] = {
	{ .name = "random_whole", .origin = "cuda_c", .code = &codes[0] },
	{ .name = "random_program", .origin = "cuda_c", .code = &codes[1] },
};

static void write_table(const struct program *p, int table[BLOCKS * THREADS][STEPS][2])
{
	memset(table, 0, BLOCKS * THREADS * sizeof *table);
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
	const struct row_finding *found;
	size_t count = device_findings(device, &found);
	unsigned classes = 0;

	for (size_t i = 0; i < count; i++)
		classes |= strcmp(found[i].class, "race-shared") == 0 ? RACE_SHARED
			: strcmp(found[i].class, "race-block") == 0 ? RACE_BLOCK
			: strcmp(found[i].class, "race-grid") == 0 ? RACE_GRID : 0;
	return classes;
}

/* Returns the classes of races that the checker finds. seen receives what each operation read. */
static unsigned run_program(const struct program *p, bool partial, uint64_t seed, int seen[EVENTS])
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
		.kernel = &kernels[partial], .grid = { BLOCKS }, .block = { THREADS }, .layer = -1,
		.args = (struct arg[]){ ARG_BUFFER(program), ARG_I32(STEPS), ARG_BUFFER(words),
					ARG_BUFFER(flags), ARG_BUFFER(out) }, .arg_count = 5 }));
	OK(device_download(device, NULL, out, 0, read, sizeof read));
	for (int a = 0; a < ACTIVE; a++)
		memcpy(seen + event(a, 0), read[thread_of(a)], sizeof read[0]);
	classes = classes_found(device);
	device_close(device);
	return classes;
}

static size_t print_op(const struct op *op, char *text, size_t size)
{
	static const char *const names[] = {
		"-", "r1", "r2", "r4", "r16", "w1", "w2", "w4", "w16", "atomic", "flag", "fence",
		"warp", "block", "vr", "vw", "vtest",
	};

	if (op->bytes)
		return (size_t)snprintf(text, size, " %s%c%u", names[op->kind],
					op->shared ? 's' : 'g', op->at);
	if (op->kind == RANDOM_FLAG || op->kind == RANDOM_WARP)
		return (size_t)snprintf(text, size, " %s:%d", names[op->kind], op->operand);
	return (size_t)snprintf(text, size, " %s", names[op->kind]);
}

/* Prints one line per thread; `size` must be enough for all. */
static void print_program(const struct program *p, char *text, size_t size)
{
	size_t used = 0;

	for (int t = 0; t < ACTIVE; t++) {
		used += (size_t)snprintf(text + used, size - used, "\nblock %d thread %d:",
					 block_of(t), thread_of(t) % THREADS);
		for (int step = 0; step < STEPS; step++)
			used += print_op(&p->ops[t][step], text + used, size - used);
	}
}

/* Draws programs in which `busy` percent of the steps have an operation: the checker must find
 * races exactly if there are any. CHECK_PROGRAMS=N in the environment sets the number of
 * programs. */
static void compare(const struct operation_mix *mix, unsigned busy)
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
		make_program(&p, mix, busy);
		found = run_program(&p, mix->partial, (uint64_t)i % 5, seen);
		is = races_of(&p, seen);
		racy += is.sure != 0;
		if ((found & ~is.possible) == 0 && (found || !is.sure))
			continue;
		print_program(&p, text, sizeof text);
		ck_abort_msg("program %d: expected races %#x, got %#x:%s", i, is.sure, found, text);
	}
	/* Some programs have races, but not all. */
	ck_assert_msg(racy > programs / 20 && racy < programs - programs / 20,
		      "%d of %d programs race", racy, programs);
}

#endif
