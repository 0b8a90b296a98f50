/* ladder_rows.c - the rungs of the ladder over a matrix of shapes, on a GPU and on the simulator.
 *
 *	ladder_rows twin DEVICE PART PARTS SECONDS
 *		every row of at most 2 million scores on DEVICE and on the simulator: all bits of
 *		partials and outputs. From rung 6 up, rows of over 20,000 scores are compared with
 *		the simulator's rung 5, which has the same bits.
 *	ladder_rows large DEVICE SECONDS
 *		the other rows: rungs with each other, rows alone and in their batch, graphs and
 *		separate launches
 *	ladder_rows repeat DEVICE TIMES
 *		ragged batches: the same, and TIMES repeats
 *	ladder_rows load DEVICE SECONDS
 *		keeps the device busy
 *
 * A row of the matrix is a head size, query heads per KV head, sequences and keys; each has one
 * kind of scores, in turn. Prints TAP, and a line "left out" for each row that was not run: after
 * SECONDS no further row begins. Exit code 1 where bits differ, 77 without a GPU. Used by
 * ladder-rows.sh and ladder-repeats.sh.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/attention/attention_graph.h"
#include "engine/attention/step_io.h"
#include "tests/ladder_rig.h"

enum { SEVERAL = 6, KEYS = 19, MAX_SCORES = 2000000, OWN_SCORES = 20000 };
static const int several[] = { 1, 2, 3, 17, 32, 128 };          /* sequences */
static const int keys[] = {
	0, 1, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1023, 1024, 1025, 65535, 65536, 65537,
	(1 << 20) - 1, 1 << 20,
};
enum { ROWS = RIG_DIMS * RIG_GROUPS * SEVERAL * KEYS };

/* --- rows --- */

struct row {
	int number;
	int64_t scores, bytes;          /* of keys and values */
	struct rig_batch batch;         /* of rung 5 */
};

static struct row row_of(int number)
{
	struct row row = { .number = number };
	struct rig_batch *b = &row.batch;
	int n = keys[number % KEYS];

	b->rung = 5;
	b->kv_heads = 1;
	b->slots = several[number / KEYS % SEVERAL];
	b->group = rig_groups[number / KEYS / SEVERAL % RIG_GROUPS];
	b->head_dim = rig_dims[number / KEYS / SEVERAL / RIG_GROUPS];
	b->scores = (enum rig_scores)(number % RIG_SCORES);
	for (int slot = 0; slot < b->slots; slot++) {
		b->lengths[slot] = n;
		b->sequences[slot] = slot;
	}
	row.scores = (int64_t)b->slots * b->group * n;
	row.bytes = (int64_t)b->slots * n * b->head_dim * 2 * (int64_t)sizeof(float);
	return row;
}

static int by_work(const void *a, const void *b)
{
	const struct row *first = a, *second = b;
	int64_t x = first->scores * first->batch.head_dim;
	int64_t y = second->scores * second->batch.head_dim;

	return x != y ? (x > y) - (x < y) : first->number - second->number;
}

/* All rows, or those with more than MAX_SCORES scores, those with the least work first. */
static int list_rows(struct row *rows, bool large)
{
	int count = 0;

	for (int i = 0; i < ROWS; i++) {
		struct row row = row_of(i);

		if ((row.scores > MAX_SCORES) == large)
			rows[count++] = row;
	}
	qsort(rows, (size_t)count, sizeof *rows, by_work);
	return count;
}

/* --- results --- */

static struct {
	int tests, failed;
	uint64_t rows, values;
	struct timespec begun;
} results;

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - results.begun.tv_sec)
		+ 1e-9 * (double)(now.tv_nsec - results.begun.tv_nsec);
}

static void left_out(const struct rig_batch *b, const char *why)
{
	char name[128];

	printf("# left out: %s: %s\n", rig_name(b, name, sizeof name), why);
}

/* Counts the values compared; reports the first differences. */
static void expect(const struct rig_batch *b, const char *what, const float *wanted,
		   const float *got, size_t count)
{
	size_t differ = rig_differences(wanted, got, count), at = 0;
	char name[128];

	results.values += count;
	if (differ == 0)
		return;
	while (rig_differences(wanted + at, got + at, 1) == 0)
		at++;
	if (results.failed++ < 20)
		printf("not ok %d - %s: %s: %zu of %zu values differ, the first is %zu: %.9g and "
		       "%.9g\n", ++results.tests, rig_name(b, name, sizeof name), what, differ,
		       count, at, (double)wanted[at], (double)got[at]);
}

static int finish(const char *what)
{
	printf("%s %d - %s: %llu rows in %.0f s\n", results.failed ? "not ok" : "ok",
	       ++results.tests, what, (unsigned long long)results.rows, seconds());
	printf("# %llu values compared\n1..%d\n", (unsigned long long)results.values,
	       results.tests);
	return results.failed > 0;
}

/* --- twin --- */

struct outcome {
	float *out, *partials;
	size_t outputs, partial_values;
};

static struct outcome run(struct rig *rig, const struct rig_batch *b)
{
	struct rig_attention r = rig_attend(rig, b);
	struct outcome o = { .outputs = (size_t)b->slots * rig_row(b) };

	o.out = xcalloc(o.outputs, sizeof(float));
	memcpy(o.out, rig_step(&r), o.outputs * sizeof(float));
	o.partials = rig_partials(&r, &o.partial_values);
	rig_free(&r);
	return o;
}

static void outcome_free(struct outcome *o)
{
	free(o->out);
	free(o->partials);
}

/* Of the simulator's own rung all memory is compared; of another rung, partials without keys are
 * left out, because rungs with a plan do not write them. */
static void compare(const struct rig_batch *b, const struct outcome *sim, struct outcome *gpu,
		    bool own)
{
	size_t D = (size_t)b->head_dim;

	expect(b, "outputs of the simulator and the device", sim->out, gpu->out, sim->outputs);
	for (size_t at = 0; !own && at < sim->partial_values; at += D + 2)
		if (sim->partials[at + D] == -INFINITY)
			memcpy(gpu->partials + at, sim->partials + at, (D + 2) * sizeof(float));
	expect(b, "partials of the simulator and the device", sim->partials, gpu->partials,
	       sim->partial_values);
}

/* From rung 5 up the simulator's rungs have the same bits (test_ladder.c), so that for rows of many
 * scores it runs rung 5 only. */
static void compare_row(struct rig *sim, struct rig *gpu, const struct row *row)
{
	struct rig_batch b = row->batch;
	struct outcome twin = { 0 };

	for (int i = 0; i < RIG_RUNGS - 1; i++) {
		bool own = rig_rungs[i] <= 5 || row->scores <= OWN_SCORES;
		struct outcome real;

		b.rung = rig_rungs[i];
		if (own) {
			outcome_free(&twin);
			twin = run(sim, &b);
		}
		real = run(gpu, &b);
		compare(&b, &twin, &real, own);
		outcome_free(&real);
	}
	outcome_free(&twin);
	results.rows++;
}

static int twin(const char *device, int part, int parts, double limit)
{
	struct row *rows = xcalloc(ROWS, sizeof *rows);
	struct rig *sim = rig_open("sim", 0), *gpu = rig_open(device, 7);
	int count = list_rows(rows, false);
	char what[64];

	for (int i = part; i < count; i += parts)
		if (seconds() > limit)
			left_out(&rows[i].batch, "no time");
		else
			compare_row(sim, gpu, &rows[i]);
	rig_close(gpu);
	rig_close(sim);
	free(rows);
	snprintf(what, sizeof what, "twin, part %d of %d", part, parts);
	return finish(what);
}

/* --- classes that need one device only --- */

static const float *download_out(struct rig_attention *r)
{
	struct buffer *out = r->attention->io->out;

	RIG_OK(device_download(r->rig->device, NULL, out, 0, r->out, out->bytes));
	return r->out;
}

/* Graphs, captured and built by hand, against separate launches on the same data. */
static void compare_graphs(struct rig_attention *r, const struct attention_graph *const graphs[2],
			   const char *what)
{
	size_t count = (size_t)r->batch.slots * rig_row(&r->batch);
	struct buffer *out = r->attention->io->out;
	float *eager = xcalloc(count, sizeof *eager);

	memcpy(eager, rig_step(r), count * sizeof *eager);
	for (int i = 0; i < 2; i++) {
		struct attention_step step = rig_request(r);

		RIG_OK(device_fill(r->rig->device, NULL, out, 0, DEVICE_POISON, count));
		RIG_OK(attention_upload(r->attention, &step));
		RIG_OK(attention_graph_launch((struct attention_graph *)graphs[i]));
		download_out(r);
		for (int slot = 0; slot < r->batch.slots; slot++)
			if (!r->done[slot])
				expect(&r->batch, what, eager + (size_t)slot * rig_row(&r->batch),
				       r->out + (size_t)slot * rig_row(&r->batch),
				       rig_row(&r->batch));
	}
	free(eager);
}

/* At the lengths of the batch, at half of them, and again at those of the batch. Steps of shorter
 * sequences overwrite keys, so that the batch is then another one. */
static void check_graphs(struct rig_attention *r)
{
	struct attention_graph *graphs[2];

	RIG_OK(attention_graph_create(r->attention, GRAPH_CAPTURE, 0, 1, &graphs[0]));
	RIG_OK(attention_graph_create(r->attention, GRAPH_MANUAL, 0, 1, &graphs[1]));
	for (int shorter = 0; shorter < 3; shorter++) {
		for (int slot = 0; slot < r->batch.slots; slot++)
			rig_set_length(r, slot, shorter == 1 ? (r->batch.lengths[slot] + 1) / 2
				       : r->batch.lengths[slot]);
		compare_graphs(r, (const struct attention_graph *const *)graphs,
			       "from a graph and from launches");
	}
	attention_graph_destroy(graphs[0]);
	attention_graph_destroy(graphs[1]);
}

static void check_alone(struct rig *rig, const struct rig_batch *b, const float *all, int slot)
{
	struct rig_batch alone = rig_alone(b, slot);
	struct rig_attention r = rig_attend(rig, &alone);

	expect(b, "a row in the batch and alone", all + (size_t)slot * rig_row(b), rig_step(&r),
	       rig_row(b));
	rig_free(&r);
}

/* Runs a batch on every rung. From 5 up the outputs are those of rung 5. */
static void compare_rungs(struct rig *rig, struct rig_batch *b)
{
	size_t count = (size_t)b->slots * rig_row(b);
	float *first = xcalloc(count, sizeof *first), *all = xcalloc(count, sizeof *all);

	for (int i = 0; i < RIG_RUNGS; i++) {
		struct rig_attention r;

		b->rung = rig_rungs[i];
		r = rig_attend(rig, b);
		memcpy(all, rig_step(&r), count * sizeof *all);
		if (b->rung == 5)
			memcpy(first, all, count * sizeof *all);
		else if (b->rung > 5)
			expect(b, "the output of rung 5", first, all, count);
		check_graphs(&r);
		rig_free(&r);
		for (int slot = b->slots > 1 ? 0 : 1; slot < b->slots;
		     slot += b->slots > 2 ? b->slots - 1 : 1)
			check_alone(rig, b, all, slot);
	}
	free(first);
	free(all);
	results.rows++;
}

static int large(const char *device, double limit)
{
	struct row *rows = xcalloc(ROWS, sizeof *rows);
	int count = list_rows(rows, true);
	struct rig *rig = rig_open(device, 0);
	struct device_info info;

	RIG_OK(device_info(rig->device, &info));
	for (int i = 0; i < count; i++)
		if ((uint64_t)rows[i].bytes > info.memory_bytes / 4)
			left_out(&rows[i].batch, "its keys and values fill over a quarter of the "
				 "memory");
		else if (seconds() > limit)
			left_out(&rows[i].batch, "no time");
		else
			compare_rungs(rig, &rows[i].batch);
	rig_close(rig);
	free(rows);
	return finish("rows of over 2 million scores");
}

/* --- repeats --- */

/* Launches `times` times and keeps each output; then as often without waiting in between. */
static void check_repeats(struct rig_attention *r, const float *wanted, int times)
{
	size_t count = (size_t)r->batch.slots * rig_row(&r->batch), bytes = count * sizeof(float);
	const struct buffer_spec spec = { "outputs", DTYPE_F32, 2, { times, (int64_t)count } };
	struct attention_step step = rig_request(r);
	struct device *device = r->rig->device;
	float *outputs = xcalloc((size_t)times, bytes);
	struct buffer *kept;

	RIG_OK(device_alloc(device, &spec, &kept));
	RIG_OK(attention_upload(r->attention, &step));
	for (int i = 0; i < times; i++) {
		RIG_OK(device_fill(device, NULL, r->attention->io->out, 0, DEVICE_POISON, count));
		RIG_OK(attention_launch(r->attention, 0));
		RIG_OK(device_copy(device, NULL, kept, (uint64_t)i * bytes, r->attention->io->out,
				   0, bytes));
	}
	RIG_OK(device_download(device, NULL, kept, 0, outputs, (size_t)times * bytes));
	for (int i = 0; i < times; i++)
		expect(&r->batch, "repeated", wanted, outputs + (size_t)i * count, count);
	for (int i = 0; i < times; i++)
		RIG_OK(attention_launch(r->attention, 0));
	expect(&r->batch, "repeated without waiting", wanted, download_out(r), count);
	RIG_OK(device_free(device, kept));
	free(outputs);
}

static void repeat_batch(struct rig *rig, const struct rig_batch *b, int times)
{
	struct rig_attention r = rig_attend(rig, b);
	size_t count = (size_t)b->slots * rig_row(b);
	float *all = xcalloc(count, sizeof *all);

	memcpy(all, rig_step(&r), count * sizeof *all);
	for (int slot = 0; slot < b->slots; slot++)
		check_alone(rig, b, all, slot);
	check_repeats(&r, all, times);
	check_graphs(&r);
	rig_free(&r);
	free(all);
	results.rows++;
}

/* No keys, one, the ends of units and splits, and more keys in a split than a unit. */
static int repeat(const char *device, int times)
{
	static const int ragged[] = {
		2 * SPLITS * SPLIT_UNIT + 1, SPLIT_UNIT + 1, 0, SPLITS * SPLIT_UNIT, 1,
	};
	struct rig *rig = rig_open(device, 5);

	for (int i = 0; i < RIG_RUNGS * RIG_DIMS * RIG_GROUPS; i++) {
		struct rig_batch b = {
			.rung = rig_rungs[i % RIG_RUNGS], .kv_heads = 2, .slots = 5,
			.group = rig_groups[i / RIG_RUNGS % RIG_GROUPS],
			.head_dim = rig_dims[i / RIG_RUNGS / RIG_GROUPS],
		};

		for (int slot = 0; slot < b.slots; slot++) {
			b.lengths[slot] = ragged[slot];
			b.sequences[slot] = i + slot;
		}
		repeat_batch(rig, &b, times);
	}
	rig_close(rig);
	return finish("ragged batches, repeated");
}

static int load(const char *device, double limit)
{
	struct rig_batch b = { .rung = 5, .kv_heads = 8, .group = 4, .head_dim = 128, .slots = 1,
			       .lengths = { 1 << 15 } };
	struct rig *rig = rig_open(device, 0);
	struct rig_attention r = rig_attend(rig, &b);

	while (seconds() < limit)
		rig_step(&r);
	rig_free(&r);
	rig_close(rig);
	return 0;
}

static bool has(const char *device)
{
	struct device *opened;

	if (device_open(device, NULL, &opened) != STATUS_OK) {
		printf("1..0 # SKIP %s\n", error_text());
		return false;
	}
	device_close(opened);
	return true;
}

int main(int argc, char **argv)
{
	const char *command = argc > 2 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	clock_gettime(CLOCK_MONOTONIC, &results.begun);
	if (argc > 2 && !has(argv[2]))
		return 77;
	if (strcmp(command, "twin") == 0 && argc == 6 && atoi(argv[4]) > 0)
		return twin(argv[2], atoi(argv[3]), atoi(argv[4]), atof(argv[5]));
	if (strcmp(command, "large") == 0 && argc == 4)
		return large(argv[2], atof(argv[3]));
	if (strcmp(command, "repeat") == 0 && argc == 4 && atoi(argv[3]) > 0)
		return repeat(argv[2], atoi(argv[3]));
	if (strcmp(command, "load") == 0 && argc == 4)
		return load(argv[2], atof(argv[3]));
	fprintf(stderr, "ladder_rows: expected twin DEVICE PART PARTS SECONDS, large DEVICE "
		"SECONDS, repeat DEVICE TIMES or load DEVICE SECONDS\n");
	return 2;
}
