/* ladder_twin.c - every row of the matrix with at most 2 million scores, on a device and on the
 * simulator, on every rung: all bits of partials and outputs.
 *
 * On the simulator a sequence has the same bits alone and in any batch (test_ladder.c), and so have
 * all rungs from 5 up in f32, and in the other types 5 and 6, and those from 7 up
 * (test_ladder_narrow.c). So it computes a sequence once: batches of many sequences repeat the same
 * few, and for long sequences it runs only the lowest rung of those with the same bits. 13 is one
 * of the others. Rung 0 attends from every key again, to one sequence with one query head per KV
 * head: longer ones have over 2 million scores there. Used by ladder_rows.c.
 */
#include "config.h"

#include "tests/gpu/ladder_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 129, MEDIUM = 1025 };    /* keys */
#define LIST(...) { (const int[]){ __VA_ARGS__ }, sizeof (int[]){ __VA_ARGS__ } / sizeof(int) }
/* Of f32 and of the other types, which have none below 5. */
static const struct rungs {
	const int *rungs;
	int count;
} lower = LIST(0, 1, 2, 3, 4), upper = LIST(5, 6, 9, 10), narrow = LIST(5, 6, 7, 9, 10);

/* The rows that differ only in the number of sequences, for rungs below 5 or from 5 up. */
struct unit {
	enum dtype type;
	int dim, group, key;            /* indexes */
	struct rungs list;
	int most;                       /* index of the most sequences */
	int different;                  /* sequences */
	double work;
};

/* --- units --- */

/* How many sequences are different from each other. */
static int different_of(int n)
{
	return n <= SHORT ? 17 : n <= MEDIUM ? 3 : 1;
}

/* Whether the simulator runs this rung. */
static bool own(enum dtype type, int rung, int n)
{
	return n <= MEDIUM || has_own_bits(type, rung);
}

static struct unit unit_of(enum dtype type, int number)
{
	int row = number / 2, n;
	struct unit u = {
		.type = type, .most = -1,
		.dim = row / KEYS / RIG_GROUPS, .group = row / KEYS % RIG_GROUPS, .key = row % KEYS,
		.list = type != DTYPE_F32 ? narrow : number % 2 ? upper : lower,
	};

	if (type != DTYPE_F32 && number % 2 == 0)
		return u;
	while (u.most + 1 < SEVERAL
	       && row_of(type, u.dim, u.group, u.most + 1, u.key).scores <= MAX_SCORES)
		u.most++;
	if (u.most < 0)
		return u;
	n = keys[u.key];
	u.different = several[u.most] < different_of(n) ? several[u.most] : different_of(n);
	for (int i = 0; i < u.list.count; i++)
		u.work += own(type, u.list.rungs[i], n) ? 1 : 0;
	u.work *= (double)u.different * rig_groups[u.group] * n * rig_dims[u.dim];
	if (u.list.rungs[0] == 0 && u.group == 0 && n <= MEDIUM)
		u.work += (double)n * n * rig_dims[u.dim];
	return u;
}

static int by_work(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return (x->work > y->work) - (x->work < y->work);
}

/* The batch of a unit, with `sequences` of them. */
static struct rig_batch batch_of(const struct unit *u, int rung, int sequences)
{
	struct rig_batch b = row_of(u->type, u->dim, u->group, u->most, u->key).batch;

	b.rung = rung;
	b.slots = sequences;
	for (int slot = 0; slot < b.slots; slot++)
		b.sequences[slot] = slot % u->different;
	return b;
}

/* --- comparing --- */

struct outcome {
	float *out, *partials;
	size_t outputs, partial_values; /* of a slot */
	int slots;
};

static struct outcome run(struct rig *rig, const struct rig_batch *b)
{
	struct rig_attention r = rig_attend(rig, b);
	struct outcome o = { .outputs = rig_row(b), .slots = b->slots };
	size_t slots = (size_t)b->slots;

	o.out = xcalloc(slots * o.outputs, sizeof(float));
	memcpy(o.out, rig_step(&r), slots * o.outputs * sizeof(float));
	o.partials = rig_partials(&r, &o.partial_values);
	o.partial_values /= slots;
	rig_free(&r);
	return o;
}

static void outcome_free(struct outcome *o)
{
	free(o->out);
	free(o->partials);
}

/* Of the simulator's own rung all memory is compared; of another rung, partials without keys are
 * left out, because rungs with a plan do not write them, and so for rung 10, of whose two forms the
 * batches of either side may have another. */
static void compare_slot(const struct rig_batch *b, const struct outcome *sim,
			 const struct outcome *real, int slot)
{
	size_t D = (size_t)b->head_dim, same = (size_t)(slot % sim->slots), at = (size_t)slot;
	const float *wanted = sim->partials + same * sim->partial_values;
	float *got = real->partials + at * real->partial_values;

	results_expect(b, "outputs of the simulator and the device",
		       sim->out + same * sim->outputs, real->out + at * real->outputs,
		       sim->outputs);
	if (!own(b->kv_dtype, b->rung, b->lengths[0]) || b->rung == 10)
		for (size_t i = 0; i < sim->partial_values; i += D + 2)
			if (wanted[i + D] == -INFINITY)
				memcpy(got + i, wanted + i, (D + 2) * sizeof(float));
	results_expect(b, "partials of the simulator and the device", wanted, got,
		       sim->partial_values);
}

static void compare_batches(struct rig *gpu, const struct unit *u, int rung,
			    const struct outcome *sim)
{
	for (int i = 0; i <= (rung == 0 ? 0 : u->most); i++) {
		struct rig_batch b = batch_of(u, rung, several[i]);
		struct outcome real = run(gpu, &b);

		if (real.partial_values != sim->partial_values) {
			printf("Bail out! %zu and %zu partials of a sequence\n",
			       sim->partial_values, real.partial_values);
			exit(2);
		}
		for (int slot = 0; slot < b.slots; slot++)
			compare_slot(&b, sim, &real, slot);
		outcome_free(&real);
		results_count_row();
	}
}

static void leave_out(const struct unit *u, int rung, const char *why)
{
	for (int i = 0; i <= (rung == 0 ? 0 : u->most); i++) {
		struct rig_batch b = batch_of(u, rung, several[i]);

		results_left_out(&b, why);
	}
}

static void compare_unit(struct rig *sim, struct rig *gpu, const struct unit *u, double limit)
{
	int n = keys[u->key];
	struct outcome twin = { 0 };

	for (int i = 0; i < u->list.count; i++) {
		int rung = u->list.rungs[i];

		if (rung == 0 && (n > MEDIUM || rig_groups[u->group] > 1))
			continue;
		if (results_seconds() > limit) {
			leave_out(u, rung, "no time");
		} else {
			if (own(u->type, rung, n)) {
				struct rig_batch b = batch_of(u, rung, rung == 0 ? 1
							      : u->different);

				outcome_free(&twin);
				twin = run(sim, &b);
			}
			compare_batches(gpu, u, rung, &twin);
		}
	}
	outcome_free(&twin);
}

/* Parts take units in turn, in alternating order, so that all have about as much work. */
int twin(const char *device, enum dtype type, int part, int parts, double limit)
{
	enum { UNITS = RIG_DIMS * RIG_GROUPS * KEYS * 2 };
	struct unit *units = xcalloc(UNITS, sizeof *units);
	struct rig *sim = rig_open("sim", 0), *gpu = rig_open(device, 7);
	char what[64];

	for (int i = 0; i < UNITS; i++)
		units[i] = unit_of(type, i);
	qsort(units, UNITS, sizeof *units, by_work);
	for (int i = 0; i < UNITS; i++)
		if ((i / parts % 2 ? parts - 1 - i % parts : i % parts) == part
		    && units[i].most >= 0)
			compare_unit(sim, gpu, &units[i], limit);
	rig_close(gpu);
	rig_close(sim);
	free(units);
	snprintf(what, sizeof what, "twin, %s, part %d of %d", dtype_name(type), part, parts);
	return results_finish(what);
}
