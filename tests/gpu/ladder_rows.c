/* ladder_rows.c - the rungs of the ladder over a matrix of shapes, on a GPU and on the simulator.
 *
 *	ladder_rows twin DEVICE TYPE PART PARTS SECONDS
 *		the rows of at most 2 million scores on DEVICE and on the simulator (ladder_twin.c)
 *	ladder_rows large DEVICE TYPE PART PARTS SECONDS
 *		the other rows: rungs with each other, rows alone and in their batch, graphs and
 *		separate launches
 *	ladder_rows repeat DEVICE TYPE TIMES
 *		ragged batches: the same, and TIMES repeats
 *	ladder_rows load DEVICE SECONDS
 *		keeps the device busy
 *
 * TYPE is that of keys and values: f32, f16, bf16 or e4m3.
 * Each row of the matrix (ladder_matrix.h) has one kind of scores, in turn. Prints TAP, and a line
 * "left out" for each row that was not run: after SECONDS no further row begins. Exit code 1 where
 * bits differ, 77 without a GPU. Used by ladder-rows.sh and ladder-repeats.sh.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/value.h"
#include "engine/attention/attention_graph.h"
#include "engine/attention/step_io.h"
#include "tests/gpu/ladder_matrix.h"

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
	size_t row = rig_row(&r->batch), count = (size_t)r->batch.slots * row;
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
				results_expect(&r->batch, what, eager + (size_t)slot * row,
					       r->out + (size_t)slot * row, row);
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

	results_expect(b, "a row in the batch and alone", all + (size_t)slot * rig_row(b),
		       rig_step(&r), rig_row(b));
	rig_free(&r);
}

static int rung_of(enum dtype type, int number)
{
	return type == DTYPE_F32 ? rig_rungs[number] : rig_narrow_rungs[number];
}

/* Runs a batch on every rung. From 5 up the outputs are those of the first one with these bits. */
static void compare_rungs(struct rig *rig, struct rig_batch *b)
{
	size_t count = (size_t)b->slots * rig_row(b);
	float *first = xcalloc(count, sizeof *first), *all = xcalloc(count, sizeof *all);

	for (int i = 0; i < RIG_RUNGS; i++) {
		struct rig_attention r;

		b->rung = rung_of(b->kv_dtype, i);
		r = rig_attend(rig, b);
		memcpy(all, rig_step(&r), count * sizeof *all);
		if (has_own_bits(b->kv_dtype, b->rung))
			memcpy(first, all, count * sizeof *all);
		else
			results_expect(b, "the output of the first rung with these bits", first,
				       all, count);
		check_graphs(&r);
		rig_free(&r);
		for (int slot = b->slots > 1 ? 0 : 1; slot < b->slots;
		     slot += b->slots > 2 ? b->slots - 1 : 1)
			check_alone(rig, b, all, slot);
	}
	free(first);
	free(all);
	results_count_row();
}

/* Up to three parts fit into the memory at once: a row fills at most a quarter of it. */
static int large(const char *device, enum dtype type, int part, int parts, double limit)
{
	struct row *rows = xcalloc(ROWS, sizeof *rows);
	int count = list_large_rows(type, rows);
	struct rig *rig = rig_open(device, 0);
	struct device_info info;

	RIG_OK(device_info(rig->device, &info));
	for (int i = part; i < count; i += parts)
		if ((uint64_t)rows[i].bytes > info.memory_bytes / 4)
			results_left_out(&rows[i].batch, "its keys and values fill over a quarter "
					 "of the memory");
		else if (results_seconds() > limit)
			results_left_out(&rows[i].batch, "no time");
		else
			compare_rungs(rig, &rows[i].batch);
	rig_close(rig);
	free(rows);
	return results_finish("rows of over 2 million scores");
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
		results_expect(&r->batch, "repeated", wanted, outputs + (size_t)i * count, count);
	for (int i = 0; i < times; i++)
		RIG_OK(attention_launch(r->attention, 0));
	results_expect(&r->batch, "repeated without waiting", wanted, download_out(r), count);
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
	results_count_row();
}

/* No keys, one, the ends of units and splits, and more keys in a split than a unit. */
static int repeat(const char *device, enum dtype type, int times)
{
	static const int ragged[] = {
		2 * SPLITS * SPLIT_UNIT + 1, SPLIT_UNIT + 1, 0, SPLITS * SPLIT_UNIT, 1,
	};
	struct rig *rig = rig_open(device, 5);

	for (int i = 0; i < RIG_RUNGS * RIG_DIMS * RIG_GROUPS; i++) {
		struct rig_batch b = {
			.rung = rung_of(type, i % RIG_RUNGS), .kv_dtype = type, .kv_heads = 2,
			.slots = 5,
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
	return results_finish("ragged batches, repeated");
}

static int load(const char *device, double limit)
{
	struct rig_batch b = { .rung = 5, .kv_heads = 8, .group = 4, .head_dim = 128, .slots = 1,
			       .lengths = { 1 << 15 } };
	struct rig *rig = rig_open(device, 0);
	struct rig_attention r = rig_attend(rig, &b);

	while (results_seconds() < limit)
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

static bool is_type(const char *name, enum dtype *out)
{
	return dtype_from_name(name, out) && (*out == DTYPE_F32 || value_is_narrow(*out));
}

int main(int argc, char **argv)
{
	const char *command = argc > 2 ? argv[1] : "";
	enum dtype type;

	setvbuf(stdout, NULL, _IOLBF, 0);
	results_begin();
	if (argc > 2 && !has(argv[2]))
		return 77;
	if (strcmp(command, "load") == 0 && argc == 4)
		return load(argv[2], atof(argv[3]));
	if (argc > 3 && is_type(argv[3], &type)) {
		if (strcmp(command, "twin") == 0 && argc == 7 && atoi(argv[5]) > 0)
			return twin(argv[2], type, atoi(argv[4]), atoi(argv[5]), atof(argv[6]));
		if (strcmp(command, "large") == 0 && argc == 7 && atoi(argv[5]) > 0)
			return large(argv[2], type, atoi(argv[4]), atoi(argv[5]), atof(argv[6]));
		if (strcmp(command, "repeat") == 0 && argc == 5 && atoi(argv[4]) > 0)
			return repeat(argv[2], type, atoi(argv[4]));
	}
	fprintf(stderr, "ladder_rows: expected twin or large DEVICE TYPE PART PARTS SECONDS, "
		"repeat DEVICE TYPE TIMES or load DEVICE SECONDS\n");
	return 2;
}
